// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/run_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/status/model/value_text.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kFullFrame = 1514;  // bytes
constexpr double kMostTries = 7;

}  // namespace

std::vector<std::pair<std::string, double>> delay_parts(const SeenLink& link) {
  const double once = link.rate_mbps > 0 ? kFullFrame * 8 / link.rate_mbps : 0;
  const double tries = std::min(kMostTries, 1 / (1 - link.frame_loss));
  return {{"way and access", link.delay_us}, {"on the air", once}, {"repeated", once * std::max(0.0, tries - 1)}};
}

RunVerdict verdict_of(const SeenRun& run) {
  if (!run.problem.empty()) {
    return {Grade::kBad, fmt::format("no answer for {:.0f} s: {}; waiting for it", run.problem_s, run.problem)};
  }
  if (run.status == nullptr) {
    return {Grade::kDoubtful, "waiting for the gateway's first answer"};
  }
  if (const Json& findings = part_of(*run.status, "findings"); !findings.empty()) {
    const Json& worst = findings.front();
    const std::string grade = worst.value("grade", "");
    return {grade == "bad"        ? Grade::kBad
            : grade == "doubtful" ? Grade::kDoubtful
                                  : Grade::kGood,
            worst.value("text", "")};
  }
  if (run.out + run.lost == 0) {
    return {Grade::kGood, "all is well; no robot sends anything"};
  }
  return {Grade::kGood,
          fmt::format("all is well; {} frames delivered in the last second", count_text(static_cast<double>(run.out)))};
}

}  // namespace hilgate

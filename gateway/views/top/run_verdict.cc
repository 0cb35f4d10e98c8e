// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/run_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/views/top/number_text.h"

namespace hilgate {
namespace {

constexpr double kLossy = 0.05;
constexpr double kDead = 0.6;

struct LossyLinks {
  std::string names;  // as long as they are few
  std::size_t count = 0;
  double worst = 0;
};

LossyLinks lossy_links(const SeenRun& run, double from, double below) {
  constexpr std::size_t kMostNames = 3;
  LossyLinks lossy;
  for (const SeenLink& link : run.links) {
    if (link.busy && link.loss >= from && link.loss < below) {
      ++lossy.count;
      lossy.worst = std::max(lossy.worst, link.loss);
      lossy.names += fmt::format("{}{} -> {}", lossy.names.empty() ? "" : ", ", link.counts.from, link.counts.to);
    }
  }
  if (lossy.count > kMostNames) {
    lossy.names = fmt::format("{} links", lossy.count);
  }
  return lossy;
}

}  // namespace

RunVerdict verdict_of(const SeenRun& run) {
  if (!run.problem.empty()) {
    return {Grade::kBad, fmt::format("no answer for {:.0f} s: {}; waiting for it", run.problem_s, run.problem)};
  }
  if (run.status == nullptr) {
    return {Grade::kDoubtful, "waiting for the gateway's first answer"};
  }
  if (const auto& conditions = part_of(*run.status, "conditions"); !conditions.empty()) {
    return {Grade::kBad, conditions.front().value("text", "")};
  }
  if (!part_of(*run.status, "totals").value("balanced", true)) {
    return {Grade::kBad, "deliveries are not all accounted for: this is a fault of the gateway"};
  }
  if (const LossyLinks dead = lossy_links(run, kDead, 2); dead.count > 0) {
    return {Grade::kBad, dead.names + ": hardly anything arrives"};
  }
  if (const LossyLinks weak = lossy_links(run, kLossy, kDead); weak.count > 0) {
    return {Grade::kDoubtful, fmt::format("{}: frames are lost ({})", weak.names, percent_text(weak.worst))};
  }
  if (run.out + run.lost == 0) {
    return {Grade::kGood, "all is well; no robot sends anything"};
  }
  return {Grade::kGood,
          fmt::format("all is well; {} frames delivered in the last second", count_text(static_cast<double>(run.out)))};
}

}  // namespace hilgate

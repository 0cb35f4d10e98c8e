// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/scenario_status.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 64;  // steps, and expectations; a log of EMANE has thousands
constexpr std::size_t kShownBefore = 16;

const char* name_of(ScenarioPlayer::Verdict verdict) {
  switch (verdict) {
    case ScenarioPlayer::Verdict::kAhead:
      return "ahead";
    case ScenarioPlayer::Verdict::kWatched:
      return "watched";
    case ScenarioPlayer::Verdict::kMet:
      return "met";
    case ScenarioPlayer::Verdict::kFailed:
      return "failed";
    case ScenarioPlayer::Verdict::kLeftOut:
      break;
  }
  return "left_out";
}

Json step_json(const ScenarioStep& step, std::uint64_t done) {
  return {
      {"line", step.line}, {"at_s", seconds_of(step.at)}, {"text", step.text()}, {"times", step.times}, {"done", done}};
}

Json expectation_json(const Expectation& expectation, const ScenarioPlayer::Judgement& judgement) {
  Json json{{"line", expectation.line},
            {"text", expectation.text()},
            {"from_s", seconds_of(expectation.from)},
            {"until_s", seconds_of(expectation.until)},
            {"verdict", name_of(judgement.verdict)}};
  if (!judgement.failure.empty()) {
    json["failure"] = judgement.failure;
  }
  return json;
}

// Of a long list the items around the first that is still to come.
template <class Item, class IsAhead, class Make>
Json around_next(const std::vector<Item>& items, IsAhead is_ahead, Make make) {
  std::size_t first = 0;
  if (items.size() > kMostShown) {
    while (first < items.size() && !is_ahead(first)) {
      ++first;
    }
    first = std::min(first - std::min(first, kShownBefore), items.size() - kMostShown);
  }
  Json shown = Json::array();
  for (std::size_t i = first; i < std::min(items.size(), first + kMostShown); ++i) {
    shown.push_back(make(i));
  }
  return shown;
}

}  // namespace

Json scenario_status(const ScenarioPlayer& player, SimTime begin, bool asked) {
  const Scenario& scenario = player.scenario();
  const auto& done = player.times_done();
  const auto& judgements = player.judgements();
  Json json{{"file", scenario.file},
            {"asked", asked},
            {"over", player.over()},
            {"begin_s", seconds_of(begin.time_since_epoch())},
            {"end_s", seconds_of(scenario.end)}};
  if (player.next() != SimTime::max()) {
    json["next_s"] = seconds_of(player.next().time_since_epoch());
  }
  json["steps_total"] = scenario.steps.size();
  json["steps"] = around_next(
      scenario.steps, [&](std::size_t i) { return done[i] < scenario.steps[i].times; },
      [&](std::size_t i) { return step_json(scenario.steps[i], done[i]); });
  json["expectations_total"] = scenario.expectations.size();
  json["expectations"] = around_next(
      scenario.expectations, [&](std::size_t i) { return judgements[i].verdict < ScenarioPlayer::Verdict::kMet; },
      [&](std::size_t i) { return expectation_json(scenario.expectations[i], judgements[i]); });
  json["failures"] = player.failures().size();
  if (player.over() && !player.failures().empty()) {
    json["failure"] = player.failures().back();
  }
  return json;
}

}  // namespace hilgate

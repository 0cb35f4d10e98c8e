// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/scenario_status.h"

#include <algorithm>
#include <utility>

namespace hilgate {
namespace {

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

ScenarioStepStatus step_status(const ScenarioStep& step, std::uint64_t done) {
  return {.line = step.line, .at = step.at, .text = step.text(), .times = step.times, .done = done};
}

ExpectationStatus expectation_status(const Expectation& expectation, const ScenarioPlayer::Judgement& judgement) {
  ExpectationStatus status{.line = expectation.line,
                           .text = expectation.text(),
                           .from = expectation.from,
                           .until = expectation.until,
                           .verdict = name_of(judgement.verdict)};
  if (!judgement.failure.empty()) {
    status.failure = judgement.failure;
  }
  return status;
}

// Of a long list the items around the first that is still to come.
template <class Item, class IsAhead, class Make>
auto around_next(const std::vector<Item>& items, IsAhead is_ahead, Make make) {
  std::size_t first = 0;
  if (items.size() > kMostShown) {
    while (first < items.size() && !is_ahead(first)) {
      ++first;
    }
    first = std::min(first - std::min(first, kShownBefore), items.size() - kMostShown);
  }
  std::vector<decltype(make(first))> shown;
  for (std::size_t i = first; i < std::min(items.size(), first + kMostShown); ++i) {
    shown.push_back(make(i));
  }
  return shown;
}

}  // namespace

ScenarioStatus scenario_status(const ScenarioPlayer& player, SimTime begin, bool asked) {
  const Scenario& scenario = player.scenario();
  const auto& done = player.times_done();
  const auto& judgements = player.judgements();
  ScenarioStatus status{
      .file = scenario.file,
      .asked = asked,
      .over = player.over(),
      .begin = begin,
      .end = scenario.end,
      .steps_total = scenario.steps.size(),
      .steps = around_next(
          scenario.steps, [&](std::size_t i) { return done[i] < scenario.steps[i].times; },
          [&](std::size_t i) { return step_status(scenario.steps[i], done[i]); }),
      .expectations_total = scenario.expectations.size(),
      .expectations = around_next(
          scenario.expectations, [&](std::size_t i) { return judgements[i].verdict < ScenarioPlayer::Verdict::kMet; },
          [&](std::size_t i) { return expectation_status(scenario.expectations[i], judgements[i]); }),
      .failures = player.failures().size()};
  if (player.next() != SimTime::max()) {
    status.next = player.next();
  }
  if (player.over() && !player.failures().empty()) {
    status.failure = player.failures().back();
  }
  return status;
}

}  // namespace hilgate

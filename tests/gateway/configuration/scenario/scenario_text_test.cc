// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "gateway/configuration/scenario/scenario_reader.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

Scenario read_here(const std::string& yaml) {
  return parse_scenario(
      yaml, "s.yaml",
      {.robots = {"red", "blue"}, .access_points = {"west", "east"}, .can_pause = true, .measures_delay = true});
}

TEST(ScenarioText, IsTheSameLater) {
  const Scenario later = read_here(
                             "end: 6s\n"
                             "steps: [{every: 1s, from: 2s, until: 4s, set: {b: 2}}]\n"
                             "expect: [{reachable: never, from: red, during: [1s, 3s]}]\n")
                             .later(10s);
  EXPECT_EQ(later.end, 16s);
  EXPECT_EQ(later.steps[0].at, 12s);
  EXPECT_EQ(later.steps[0].end(), 14s);
  EXPECT_EQ(later.expectations[0].from, 11s);
  EXPECT_EQ(later.expectations[0].until, 13s);
}

TEST(ScenarioText, StepsAndExpectationsAreLinesForPeople) {
  const Scenario scenario = read_here(
      "end: 6s\n"
      "steps:\n"
      "  - {at: 1s, mark: cut, set: {a: 1}, for: 1s}\n"
      "  - {at: 1s, ramp: {b: {from: 30ms, to: 1ms}}, for: 2s, step: 200ms}\n"
      "  - {every: 1s, from: 2s, until: 4s, remove: [c]}\n"
      "  - {at: 1s, pause: 2s}\n"
      "expect:\n"
      "  - {loss: {at_least: 5 %, at_most: 10 %}, from: red, to: blue}\n"
      "  - {reachable: once, from: red}\n"
      "  - {drops: {absent: [queue_full, hold_full], present: [unreachable]}}\n"
      "  - {delay: {percentile: 99, at_most: 5ms}}\n"
      "  - {handover: {robot: red, to: west, within: 300ms}}\n");
  std::vector<std::string> lines;
  for (const ScenarioStep& step : scenario.steps) {
    lines.push_back(step.text());
  }
  for (const Expectation& expectation : scenario.expectations) {
    lines.push_back(expectation.text());
  }
  EXPECT_THAT(
      lines, ElementsAre("mark cut; a=1, for 1 s", "b: 30ms to 1ms, within 2 s", "remove c, 3 times, each 1 s",
                         "pause for 2 s", "loss of red > blue: at least 5 % and at most 10 %", "red > *: once in reach",
                         "drops of all links: no queue_full, hold_full; some unreachable",
                         "delay of all links, 99 %: at most 5ms",
                         "handover of red to west, without association no longer than 0.3 s"));
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario_reader.h"

#include <gmock/gmock.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ScenarioSetting kTwoRobots{.robots = {"red", "blue"}, .access_points = {"west", "mast"}, .measures_delay = true};

Scenario scenario_of(const std::string& yaml, const ScenarioSetting& setting = kTwoRobots) {
  YamlDocument document = YamlDocument::parse(yaml, "s.yaml");
  YamlReader root = document.root();
  Scenario scenario = read_scenario(root, setting);
  document.finish();
  return scenario;
}

std::vector<std::string> scenario_faults(const std::string& yaml, const ScenarioSetting& setting = kTwoRobots) {
  std::vector<std::string> lines;
  try {
    scenario_of(yaml, setting);
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      lines.push_back(fault.line_text());
    }
  }
  return lines;
}

TEST(ScenarioReader, ReadsStepsWithTheirTimes) {
  const Scenario scenario = scenario_of(
      "end: 20s\n"
      "steps:\n"
      "  - {at: 1s, mark: cut, set: {links.red.blue.loss: 10 %}, for: 2s}\n"
      "  - {at: cut + 500ms, remove: [links.red.blue.loss, window]}\n"
      "  - {every: 5s, from: 2s, until: 12s, set: {links.*.*.outages: [{at: 0s, for: 1s}]}}\n"
      "  - {every: 10s, set: {seed: 1}}\n"
      "  - {at: 3s, ramp: {links.red.blue.delay: {from: 0ms, to: 10ms}}, for: 1s, step: 250ms}\n");
  ASSERT_EQ(scenario.steps.size(), 5U);
  EXPECT_EQ(scenario.end, 20s);
  EXPECT_EQ(scenario.steps[0].line, 3);
  EXPECT_EQ(scenario.steps[0].mark, "cut");
  EXPECT_EQ(scenario.steps[0].lasts, 2s);
  EXPECT_THAT(scenario.steps[0].values(0), ElementsAre("links.red.blue.loss=10 %"));
  EXPECT_EQ(scenario.steps[1].at, 1500ms);
  EXPECT_THAT(scenario.steps[1].values(0), ElementsAre("links.red.blue.loss=", "window="));
  EXPECT_EQ(scenario.steps[2].times, 3U);
  EXPECT_EQ(scenario.steps[2].instant(2), 12s);
  EXPECT_THAT(scenario.steps[2].values(1), ElementsAre("links.*.*.outages=[{at: 0s, for: 1s}]"));
  EXPECT_EQ(scenario.steps[3].times, 3U) << "up to the scenario's end";
  const ScenarioStep& ramp = scenario.steps[4];
  EXPECT_EQ(ramp.times, 5U);
  EXPECT_EQ(ramp.instant(4), 4s);
  EXPECT_THAT(ramp.values(0), ElementsAre("links.red.blue.delay=0ms"));
  EXPECT_THAT(ramp.values(1), ElementsAre("links.red.blue.delay=2.5ms"));
  EXPECT_THAT(ramp.values(4), ElementsAre("links.red.blue.delay=10ms"));
}

TEST(ScenarioReader, ReadsJoinsLeavesAndFailures) {
  const Scenario scenario = scenario_of(
      "steps:\n"
      "  - {at: 1s, leave: [blue, west]}\n"
      "  - {at: 2s, join: blue}\n"
      "  - {every: 10s, from: 0s, until: 30s, leave: red, for: 1s}\n"
      "  - {at: 3s, outage: {from: red}, for: 2s}\n");
  EXPECT_THAT(scenario.steps[0].values(0), ElementsAre("robots.blue=", "netsim.access_points.west="));
  EXPECT_THAT(scenario.steps[1].reset, ElementsAre("robots.blue"));
  EXPECT_EQ(scenario.steps[2].lasts, 1s);
  EXPECT_THAT(scenario.steps[3].values(0), ElementsAre("links.red.*.outages=[{at: 0s, for: 24h}]"));
  EXPECT_EQ(scenario.steps[3].lasts, 2s);
}

TEST(ScenarioReader, EndsWithItsLastStepOrExpectation) {
  EXPECT_EQ(scenario_of("steps: [{at: 1s, set: {window: 1ms}, for: 3s}, {at: 2s, mark: a}]\n").end, 4s);
  EXPECT_EQ(scenario_of("expect: [{reachable: always, during: [1s, 7s]}]\n").end, 7s);
  const Scenario whole = scenario_of("end: 9s\nexpect: [{reachable: always}]\n");
  EXPECT_EQ(whole.expectations.front().until, 9s);
}

TEST(ScenarioReader, ReadsExpectations) {
  using Kind = Expectation::Kind;
  const Scenario scenario = scenario_of(
      "end: 9s\n"
      "steps: [{at: 2s, mark: cut}]\n"
      "expect:\n"
      "  - {loss: {at_least: 1 %, at_most: 5 %}, from: red, to: blue, during: [cut, cut + 1s]}\n"
      "  - {rate: {at_least: 1 Mbit/s}, from: red}\n"
      "  - {reachable: never, to: '*'}\n"
      "  - {drops: {absent: queue_full, present: [outage, unreachable]}}\n"
      "  - {delay: {percentile: 99, at_most: 20ms}}\n"
      "  - {handover: {robot: red, to: west, within: 300ms}}\n");
  ASSERT_EQ(scenario.expectations.size(), 6U);
  EXPECT_DOUBLE_EQ(scenario.expectations[4].share, 0.99);
  EXPECT_DOUBLE_EQ(scenario.expectations[4].at_most.value(), 20e6);
  EXPECT_EQ(scenario.expectations[5].robot, "red");
  EXPECT_EQ(scenario.expectations[5].access_point, "west");
  EXPECT_EQ(scenario.expectations[5].within, 300ms);
  const Expectation& loss = scenario.expectations[0];
  EXPECT_EQ(loss.kind, Kind::kLoss);
  EXPECT_EQ(loss.line, 4);
  EXPECT_EQ(loss.links.text(), "red > blue");
  EXPECT_EQ(loss.from, 2s);
  EXPECT_EQ(loss.until, 3s);
  EXPECT_DOUBLE_EQ(loss.at_least.value(), 0.01);
  EXPECT_DOUBLE_EQ(loss.at_most.value(), 0.05);
  EXPECT_EQ(loss.bounds, "at least 1 % and at most 5 %");
  EXPECT_DOUBLE_EQ(scenario.expectations[1].at_least.value(), 1e6);
  EXPECT_EQ(scenario.expectations[1].links.text(), "red > *");
  EXPECT_EQ(scenario.expectations[2].reach, Expectation::Reach::kNever);
  EXPECT_THAT(scenario.expectations[3].absent, ElementsAre(DropReason::kQueueFull));
  EXPECT_THAT(scenario.expectations[3].present, ElementsAre(DropReason::kOutage, DropReason::kUnreachable));
}

TEST(ScenarioReader, ReadsTheExamples) {
  for (const char* name : {"reference", "cut"}) {
    EXPECT_NO_THROW(load_scenario(std::string(HILGATE_SOURCE_DIR "/examples/scenarios/") + name + ".yaml", kTwoRobots));
  }
}

TEST(ScenarioReader, NamesThePlaceOfAWrongExpectation) {
  EXPECT_THAT(scenario_faults("end: 1s\nexpect:\n  - {reachable: always,\n     from: rad}\n"),
              ElementsAre(HasSubstr("s.yaml:4: expect[0].from: 'rad' is not a robot or \"*\"; did you mean 'red'?")));
  EXPECT_THAT(
      scenario_faults("end: 1s\nexpect: [{drops: {absent: [queue]}}]\n"),
      ElementsAre(HasSubstr("expect[0].drops.absent: 'queue' is not a drop reason; did you mean 'queue_full'?")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{handover: {robot: red, to: est}}]\n"),
              ElementsAre(HasSubstr("expect[0].handover.to: 'est' is not known; did you mean 'west'?")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{handover: {to: west}}]\n"), ElementsAre(HasSubstr("key 'robot'")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{delay: {at_most: 1s}}]\n", {.robots = {}}),
              ElementsAre(HasSubstr("means nothing with `pace: lockstep`")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{loss: {at_most: 5}}]\n"),
              ElementsAre(HasSubstr("needs one of %, ppm")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{loss: {}}]\n"), ElementsAre(HasSubstr("bounds nothing")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{from: red}]\n"), ElementsAre(HasSubstr("not just one thing")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{reachable: never, rate: {at_least: 1 bit/s}}]\n"),
              ElementsAre(HasSubstr("not just one thing")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{reachable: never, during: [0s, 2s]}]\n"),
              ElementsAre(HasSubstr("lasts longer than the scenario")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{reachable: never, during: [1s, 0s]}]\n"),
              ElementsAre(HasSubstr("ends before it begins")));
  EXPECT_THAT(scenario_faults("end: 1s\nexpect: [{reachable: never, during: 1s}]\n").size(), 2U);
}

TEST(ScenarioReader, NamesThePlaceOfAWrongStep) {
  const auto step_faults = [](const std::string& step) {
    return scenario_faults("end: 9s\nsteps:\n  - " + step + "\n");
  };
  EXPECT_THAT(step_faults("{at: 1s}"), ElementsAre(HasSubstr("s.yaml:3: steps[0]: does nothing")));
  EXPECT_THAT(step_faults("{at: 1s, leave: bleu}"),
              ElementsAre(HasSubstr("steps[0].leave: 'bleu' is not known; did you mean 'blue'?")));
  EXPECT_THAT(step_faults("{at: 1s, outage: {to: grey}, for: 48h}").size(), 2U);
  EXPECT_THAT(step_faults("{mark: a}"), ElementsAre(HasSubstr("needs either `at` or `every`")));
  EXPECT_THAT(step_faults("{at: soon, mark: a}"),
              ElementsAre(HasSubstr("'soon' is neither a time, as 2s, nor a mark of a step before; there is no mark")));
  EXPECT_THAT(step_faults("{at: 1, mark: a}"), ElementsAre(HasSubstr("needs one of ns")));
  EXPECT_THAT(step_faults("{at: 1s, sett: {window: 1ms}, mark: a}"),
              ElementsAre(HasSubstr("s.yaml:3: steps[0].sett: unknown key 'sett'; did you mean 'set'?")));
  EXPECT_THAT(step_faults("{at: 1s, pause: 1s}"), ElementsAre(HasSubstr("`pace: dilate` only")));
  EXPECT_THAT(step_faults("{at: 1s, set: {window: 1ms}, pause: 1s}"), testing::Contains(HasSubstr("several things")));
  EXPECT_THAT(step_faults("{every: 1s, set: {window: 1ms}, for: 1s}"),
              ElementsAre(HasSubstr("not shorter than `every`")));
  EXPECT_THAT(step_faults("{every: 1us, mark: a}"), ElementsAre(HasSubstr("happens 9000001 times")));
  EXPECT_THAT(step_faults("{at: 1s, ramp: {window: {from: 1ms, to: 2us}}, for: 1s}"),
              ElementsAre(HasSubstr("steps[0].ramp.window: goes from '1ms' to '2us'; give both in one unit")));
  EXPECT_THAT(step_faults("{at: 1s, ramp: {window: {from: a, to: 2us}}, for: 1s}"),
              ElementsAre(HasSubstr("'a' does not begin with a number")));
  EXPECT_THAT(step_faults("{at: 1s, ramp: {window: {from: 1ms, to: 2ms}}}"),
              ElementsAre(HasSubstr("misses the key 'for'")));
  EXPECT_THAT(scenario_faults("steps: [{every: 1s, mark: a}]\n"),
              ElementsAre(HasSubstr("has no end"), HasSubstr("has no end")));
  EXPECT_THAT(scenario_faults("{}\n"), ElementsAre(HasSubstr("has no end")));
  EXPECT_THAT(scenario_faults("steps: [{at: 1s, pause: 1s}]\n", {.robots = {}, .can_pause = true}), IsEmpty());
}

TEST(ScenarioReader, AnEventLogIsNamedAsSuch) {
  try {
    parse_scenario("0.0 nem:1 location gps 40.0,-74.5,3.0\n", "big.eel", kTwoRobots);
    FAIL() << "an event log is no scenario";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("big.eel: is an event log of EMANE (EEL), not a scenario"));
    EXPECT_THAT(error.what(), HasSubstr("hilgate scenario import"));
  }
}

}  // namespace
}  // namespace hilgate::test

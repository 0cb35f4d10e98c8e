// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario_player.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "gateway/configuration/scenario/scenario_reader.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A run that says what it was asked to do, with one link.
class ToldRun final : public ScenarioRun {
 public:
  std::vector<std::string> told;
  LinkCounts counts;
  bool reachable = true;
  bool there = true;
  std::string refused;  // an assignment
  std::optional<DelaySample> delay{};

  void set_values(const std::vector<std::string>& values) override { tell("set", values); }
  std::vector<std::string> standing(const std::vector<std::string>& values) override {
    std::vector<std::string> before;
    for (const std::string& value : values) {
      before.push_back(value.substr(0, value.find('=')));
    }
    return before;
  }
  void take_back(const std::vector<std::string>& before) override { tell("back", before); }
  void pause_for(Nanoseconds length) override { told.push_back(fmt::format("pause {}", length / 1ms)); }
  void marked(const std::string& mark, SimTime at) override {
    told.push_back(fmt::format("mark {} {}", mark, at.time_since_epoch() / 1ms));
  }
  void settle() override {}
  std::vector<LinkSample> links(const LinkChoice&) override {
    return there ? std::vector<LinkSample>{{"red", "blue", counts, reachable}} : std::vector<LinkSample>{};
  }
  void measure_delay(std::size_t item, const LinkChoice&) override { told.push_back(fmt::format("measure {}", item)); }
  std::optional<DelaySample> measured_delay(std::size_t, double) override { return std::exchange(delay, {}); }
  void judged(const Expectation& expectation, const std::string& failure) override {
    told.push_back(fmt::format("line {} {}", expectation.line, failure.empty() ? "met" : "failed"));
  }

  void pass(std::uint64_t frames) {
    counts.deliveries += frames;
    counts.released += frames;
    counts.bytes_released += 125 * frames;
  }
  void lose(std::uint64_t frames, DropReason reason = DropReason::kConfiguredLoss) {
    counts.deliveries += frames;
    counts.dropped[static_cast<std::size_t>(reason)] += frames;
  }

 private:
  void tell(const std::string& what, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      if (value == refused) {
        throw std::runtime_error("no");
      }
      told.push_back(what + " " + value);
    }
  }
};

class ScenarioPlayerTest : public testing::Test {
 protected:
  void play(const std::string& yaml) {
    YamlDocument document = YamlDocument::parse(yaml, "s.yaml");
    YamlReader root = document.root();
    player_.emplace(
        read_scenario(
            root,
            {.robots = {"red", "blue"}, .access_points = {"west", "east"}, .can_pause = true, .measures_delay = true}),
        run_);
    document.finish();
  }
  bool to(Nanoseconds at) { return player_->window_began(SimTime{at}); }
  std::vector<std::string> told() { return std::exchange(run_.told, {}); }

  ToldRun run_;
  std::optional<ScenarioPlayer> player_;
};

TEST_F(ScenarioPlayerTest, DoesEverythingInTheOrderOfTime) {
  play(
      "steps:\n"
      "  - {at: 3s, pause: 20ms}\n"
      "  - {every: 2s, from: 1s, until: 5s, set: {a: 1}, for: 1s}\n"
      "  - {at: 1s, mark: go}\n"
      "  - {at: 2s, ramp: {b: {from: 0 %, to: 10 %}}, for: 2s, step: 1s}\n");
  EXPECT_EQ(player_->next(), SimTime{1s});
  EXPECT_TRUE(to(999ms));
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_TRUE(to(1s));
  EXPECT_THAT(told(), ElementsAre("set a=1", "mark go 1000"));
  EXPECT_EQ(player_->next(), SimTime{2s});
  EXPECT_TRUE(to(3s));
  EXPECT_THAT(told(), ElementsAre("back a", "set b=0 %", "pause 20", "set a=1", "set b=5 %"));
  EXPECT_TRUE(to(5s));
  EXPECT_THAT(told(), ElementsAre("back a", "set b=10 %", "set a=1"));
  EXPECT_FALSE(to(6s)) << "it is over";
  EXPECT_THAT(told(), ElementsAre("back a"));
  EXPECT_EQ(player_->next(), SimTime::max());
}

TEST_F(ScenarioPlayerTest, ContinuesWithAnotherRun) {
  play(
      "end: 5s\n"
      "steps: [{at: 1s, set: {a: 1}, for: 2s}, {at: 2s, mark: half}]\n"
      "expect:\n"
      "  - {loss: {at_most: 0 %}, during: [1s, 3s]}\n"
      "  - {reachable: always}\n"
      "  - {loss: {at_least: 100 %}, during: [2s, 4s]}\n");
  std::vector<int> left_out;
  for (const Expectation& expectation : player_->leave_out_before(SimTime{2s})) {
    left_out.push_back(expectation.line);
  }
  EXPECT_THAT(left_out, ElementsAre(4, 5));
  to(1s);
  EXPECT_THAT(told(), ElementsAre("set a=1"));
  ToldRun other;
  player_->play_on(other);
  to(2s);
  other.lose(10);
  to(4s);
  EXPECT_THAT(other.told, ElementsAre("mark half 2000", "back a", "line 6 met"));
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_FALSE(to(5s));
  EXPECT_THAT(player_->failures(), IsEmpty());
}

TEST_F(ScenarioPlayerTest, JudgesLossOfItsTimeAlone) {
  play(
      "end: 4s\n"
      "steps: [{at: 2s, mark: cut}]\n"
      "expect:\n"
      "  - {loss: {at_most: 0 %}, during: [0s, 1s]}\n"
      "  - {loss: {at_least: 50 %, at_most: 60 %}, during: [1s, 2s]}\n"
      "  - {loss: {at_most: 10 %}, from: red, to: blue, during: [2s, 3s]}\n"
      "  - {loss: {at_most: 10 %}, during: [3s, 4s]}\n");
  run_.lose(7);
  to(0s);
  run_.pass(10);
  to(1s);
  run_.lose(10);
  run_.pass(10);
  to(2s);
  run_.lose(3);
  run_.pass(7);
  to(3s);
  to(4s);
  EXPECT_THAT(told(), ElementsAre("line 4 met", "line 5 met", "mark cut 2000", "line 6 failed", "line 7 failed"));
  player_->finish(SimTime{4s});
  EXPECT_THAT(
      player_->failures(),
      ElementsAre("s.yaml:6: red > blue, 2 s to 3 s: loss was 30 % (3 of 10 deliveries); expected at most 10 %",
                  "s.yaml:7: all links, 3 s to 4 s: there was no frame to judge loss by; expected at most 10 %"));
}

TEST_F(ScenarioPlayerTest, JudgesRateDropsAndReach) {
  play(
      "end: 2s\n"
      "expect:\n"
      "  - {rate: {at_least: 50 kbit/s}}\n"
      "  - {rate: {at_least: 51 kbit/s}}\n"
      "  - {drops: {absent: [queue_full], present: [outage]}}\n"
      "  - {drops: {absent: [outage], present: [queue_full]}}\n"
      "  - {reachable: always}\n"
      "  - {reachable: once}\n"
      "  - {reachable: never}\n"
      "  - {reachable: always, during: [0s, 1s]}\n");
  to(0s);
  player_->table_came(SimTime{0s});
  run_.pass(100);
  run_.lose(4, DropReason::kOutage);
  to(1s);
  run_.reachable = false;
  player_->table_came(SimTime{1s});
  to(2s);
  EXPECT_THAT(
      player_->failures(),
      ElementsAre("s.yaml:4: all links, 0 s to 2 s: rate was 50 kbit/s (100 frames); expected at least 51 kbit/s",
                  "s.yaml:6: all links, 0 s to 2 s: 4 deliveries were dropped as outage, expected none; no delivery "
                  "was dropped "
                  "as queue_full, expected some",
                  "s.yaml:7: all links, 0 s to 2 s: red > blue was out of reach at 1 s; expected in reach always",
                  "s.yaml:9: all links, 0 s to 2 s: red > blue was in reach at 0 s; expected never"));
}

TEST_F(ScenarioPlayerTest, CountsContinueWhenARobotLeavesAndReturns) {
  play(
      "end: 3s\n"
      "steps: [{at: 1s, set: {gone: 1}}, {at: 2s, set: {here: 1}}]\n"
      "expect: [{loss: {at_least: 50 %, at_most: 50 %}}]\n");
  to(0s);
  run_.lose(5);
  to(1s);
  run_.there = false;
  run_.counts = {};
  to(2s);
  run_.there = true;
  run_.pass(5);
  to(3s);
  EXPECT_THAT(player_->failures(), IsEmpty());
}

TEST_F(ScenarioPlayerTest, WaitsForDelaysBeforeItEnds) {
  play(
      "end: 2s\nexpect:\n  - {delay: {percentile: 90, at_most: 5ms}}\n  - {delay: {at_most: 5ms}, during: [0s, 1s]}\n");
  to(0s);
  EXPECT_THAT(told(), ElementsAre("measure 0", "measure 1"));
  EXPECT_TRUE(to(1s));
  run_.delay = {10, 5ms};
  EXPECT_TRUE(to(1010ms));
  EXPECT_THAT(told(), ElementsAre("line 4 met"));
  EXPECT_TRUE(to(2s));
  run_.delay = {10, 6ms};
  EXPECT_FALSE(to(2010ms));
  player_->finish(SimTime{2010ms});
  EXPECT_THAT(player_->failures(),
              ElementsAre("s.yaml:3: all links, 0 s to 2 s: delay was 6 ms (90 % of 10 deliveries took less); expected "
                          "at most 5ms"));
}

TEST_F(ScenarioPlayerTest, JudgesHandovers) {
  play(
      "end: 2s\n"
      "expect:\n"
      "  - {handover: {robot: red, within: 300ms}, during: [0s, 1s]}\n"
      "  - {handover: {robot: red, to: east}, during: [1s, 2s]}\n"
      "  - {handover: {robot: blue}}\n");
  to(0s);
  player_->handed_over({"red", "east", 200ms});
  player_->handed_over({"red", "west", 400ms});
  to(1s);
  player_->handed_over({"red", "east", 400ms});
  to(2s);
  EXPECT_THAT(
      player_->failures(),
      ElementsAre("s.yaml:3: red, 0 s to 1 s: red was 400 ms without association before it came to west; expected "
                  "at most 300 ms",
                  "s.yaml:5: blue, 0 s to 2 s: blue has not come to another access point"));
}

TEST_F(ScenarioPlayerTest, AStepThatCannotBeCarriedOutEndsIt) {
  play("end: 3s\nsteps:\n  - {at: 1s, set: {a: 1}}\nexpect: [{reachable: always}]\n");
  run_.refused = "a=1";
  EXPECT_FALSE(to(1s));
  player_->finish(SimTime{1s});
  EXPECT_THAT(player_->failures(),
              ElementsAre("s.yaml:3: no", HasSubstr("s.yaml:4: not judged: the run ended at 1 s")));
}

TEST_F(ScenarioPlayerTest, StepsOfSkippedWindowsAreMadeInOrder) {
  play("steps: [{every: 1s, from: 1s, until: 3s, set: {a: 1}, for: 500ms}]\n");
  EXPECT_TRUE(to(3s));
  EXPECT_THAT(told(), ElementsAre("set a=1", "back a", "set a=1", "back a", "set a=1"));
}

TEST_F(ScenarioPlayerTest, ReportsItsProgress) {
  using Verdict = ScenarioPlayer::Verdict;
  play(
      "steps:\n"
      "  - {every: 1s, from: 1s, until: 3s, set: {a: 1}}\n"
      "expect:\n"
      "  - {loss: {at_most: 10 %}, during: [1s, 2s]}\n"
      "  - {loss: {at_least: 10 %}, during: [1s, 3s]}\n");
  EXPECT_TRUE(to(500ms));
  EXPECT_EQ(player_->judgements()[0].verdict, Verdict::kAhead);
  EXPECT_TRUE(to(1s));
  EXPECT_EQ(player_->times_done()[0], 1U);
  EXPECT_EQ(player_->judgements()[0].verdict, Verdict::kWatched);
  run_.pass(10);
  EXPECT_TRUE(to(2s));
  EXPECT_EQ(player_->judgements()[0].verdict, Verdict::kMet);
  EXPECT_FALSE(player_->over());
  EXPECT_FALSE(to(3s));
  EXPECT_TRUE(player_->over());
  EXPECT_EQ(player_->times_done()[0], 3U);
  EXPECT_EQ(player_->judgements()[1].verdict, Verdict::kFailed);
  EXPECT_THAT(player_->judgements()[1].failure, HasSubstr("s.yaml:5: all links, 1 s to 3 s: loss was 0 %"));
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Order and hand-over, mostly in lockstep. Journal words: p WINDOW.BEGIN <from network; n WINDOW.BEGIN @scene
// <payload #packets; w window begins; v verdict; f forgotten.
#include "gateway/run/windows/window_engine.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gateway/run/windows/window_fakes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

WindowOptions lockstep() {
  return {.window = 10ms, .pace = Pace::kLockstep};
}

TEST(WindowEngine, BeginsWhenBothAreReady) {
  Bench bench(lockstep());
  bench.physics.ready_at_once = false;
  bench.engine.start();
  EXPECT_THAT(bench.journal, ElementsAre());
  bench.physics.ready();
  EXPECT_THAT(bench.journal, ElementsAre("w0", "p0.0", "n0.0"));
}

TEST(WindowEngine, WithoutWaitingASimulatorJoinsWhenItConnects) {
  Bench bench({.window = 10ms, .links_at_once = true, .recovery = Recovery::kCatchUp, .without_waiting = true});
  bench.physics.ready_at_once = false;
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  EXPECT_TRUE(bench.engine.running());
  EXPECT_FALSE(bench.engine.simulators_came());
  bench.to(50ms);
  EXPECT_EQ(bench.engine.window(), 5U);
  EXPECT_TRUE(bench.physics.steps.empty());
  EXPECT_EQ(bench.engine.physics_stats().missed, 0U) << "nobody owes anything";
  bench.physics.ready();
  EXPECT_TRUE(bench.engine.simulators_came());
  ASSERT_EQ(bench.physics.steps.size(), 1U);
  EXPECT_EQ(bench.physics.steps[0].window, 5U) << "those before are not caught up with";
  EXPECT_EQ(bench.physics.steps[0].number, 5U) << "by which simulators without a time on the wire know what time it is";
  bench.to(70ms);
  EXPECT_EQ(bench.physics.steps.back().window, 7U);
  bench.physics.ready();  // it comes again
  EXPECT_EQ(bench.physics.steps.size(), 3U);
}

TEST(WindowEngine, MayBeginInTheMiddle) {
  for (const Pace pace : {Pace::kLockstep, Pace::kWall, Pace::kDilate}) {
    Bench bench({.window = 10ms, .pace = pace, .dilation = {500'000}, .begin = SimTime{3s}, .first_window = 300});
    bench.physics.answer_at_once = bench.network.answer_at_once = pace != Pace::kLockstep;
    bench.engine.start();
    EXPECT_EQ(bench.engine.window(), 300U);
    EXPECT_EQ(bench.engine.window_begin(), SimTime{3s});
    EXPECT_EQ(bench.physics.steps.front().from, SimTime{3s});
    EXPECT_EQ(bench.physics.steps.front().number, 300U);
    if (pace == Pace::kLockstep) {
      continue;
    }
    bench.to(pace == Pace::kWall ? 20ms : 40ms);
    EXPECT_EQ(bench.engine.window(), 302U);
    EXPECT_EQ(bench.sink.starts.back().from, SimTime{3020ms});
    EXPECT_EQ(bench.engine.sim_at(bench.timer.now()), SimTime{3020ms});
  }
}

/// Begins where it is told to.
class MovedTimeline final : public WindowTimeline {
 public:
  HostTime begin(HostTime now, Nanoseconds) override { return origin_ = now; }
  void window_began(HostTime, SimTime, Nanoseconds) override {}
  [[nodiscard]] HostTime host_at(SimTime instant) const override { return origin_ + (instant - first); }
  [[nodiscard]] SimTime sim_at(HostTime instant) const override { return first + (instant - origin_); }

  SimTime first{};

 private:
  HostTime origin_{};
};

TEST(WindowEngine, BeginsAnewElsewhere) {
  Bench bench({.window = 10ms, .pace = Pace::kWall});
  MovedTimeline timeline;
  bench.engine.follow(timeline);
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  bench.to(25ms);
  ASSERT_EQ(bench.engine.window(), 2U);
  for (const auto& [window, begin] : {std::pair{5000U, SimTime{50s}}, std::pair{7U, SimTime{70ms}}}) {
    timeline.first = begin;
    bench.engine.begin_anew(window, begin);
    EXPECT_EQ(bench.sink.starts.back().window, window);
    EXPECT_EQ(bench.sink.starts.back().from, begin);
    EXPECT_EQ(bench.physics.steps.back().from, begin);
    bench.timer.advance_to(bench.timer.now() + 35ms);
    EXPECT_EQ(bench.engine.window(), window + 3);
    EXPECT_EQ(bench.physics.steps.back().from, begin + 30ms);
    EXPECT_EQ(bench.engine.physics_stats().missed, 0U);
    EXPECT_EQ(bench.engine.physics_stats().skipped, 0U);
  }
  bench.physics.answer_at_once = false;
  bench.timer.advance_to(bench.timer.now() + 10ms);
  EXPECT_THROW(bench.engine.begin_anew(1, SimTime{10ms}), std::logic_error) << "physics is at work";
}

TEST(WindowEngine, WithTheLagBothWorkAtOnceAndTheNetworkReceivesTheEarlierWindow) {
  for (const bool physics_first : {true, false}) {
    Bench bench(lockstep());
    bench.engine.start();
    for (int window = 0; window < 2; ++window) {
      if (physics_first) {
        bench.physics.end();
        bench.network.end();
      } else {
        bench.network.end();
        bench.physics.end();
      }
    }
    EXPECT_THAT(bench.journal, ElementsAre("w0", "p0.0", "n0.0", "w1", "p1.1", "n1.1@0<P0", "w2", "p2.2", "n2.2@1<P1"))
        << "whoever is quicker";
  }
}

TEST(WindowEngine, WithoutTheLagTheNetworkWaitsForPhysics) {
  WindowOptions options = lockstep();
  options.lag_one_window = false;
  Bench bench(options);
  bench.engine.start();
  EXPECT_THAT(bench.journal, ElementsAre("w0", "p0.0"));
  bench.physics.end();
  EXPECT_THAT(bench.journal, ElementsAre("w0", "p0.0", "n0.0@0<P0"));
  bench.network.end();
  bench.physics.end();
  EXPECT_THAT(bench.journal, ElementsAre("w0", "p0.0", "n0.0@0<P0", "w1", "p1.1", "n1.1@1<P1"));
}

TEST(WindowEngine, DecoupledStepsHandOverAtTheBarrierOnly) {
  WindowOptions options = lockstep();
  options.physics_step = 5ms;
  options.network_step = 2500us;
  for (const bool physics_first : {true, false}) {
    Bench bench(options);
    bench.network.payloads = true;
    bench.engine.start();
    const auto physics = [&] {
      bench.physics.end();
      bench.physics.end();
    };
    const auto network = [&] {
      for (int i = 0; i < 4; ++i) {
        bench.network.end();
      }
    };
    if (physics_first) {
      physics();
      network();
    } else {
      network();
      physics();
    }
    // The last payload of each side's window arrives with the first step of the other's next, and only there.
    EXPECT_THAT(bench.network.steps.size(), 5U);
    EXPECT_EQ(bench.journal.back(), "n1.4@1<P1");
    EXPECT_EQ(bench.journal[bench.journal.size() - 2], "p1.2<N3");
    bench.network.end();
    EXPECT_EQ(bench.journal.back(), "n1.5@1") << "the second step sees the scene, and no new payload";
    EXPECT_EQ(bench.network.steps[5].from, SimTime{12500us});
    EXPECT_EQ(bench.physics.steps[1].from, SimTime{5ms});
    EXPECT_EQ(bench.physics.steps[1].length, 5ms);
  }
}

TEST(WindowEngine, SilentPhysicsKeepsTheLastScene) {
  Bench bench(lockstep());
  bench.engine.start();
  bench.physics.end();
  bench.network.end();
  bench.physics.silent = true;
  bench.physics.end();
  bench.network.end();
  EXPECT_EQ(bench.journal.back(), "n2.2@0");
}

TEST(WindowEngine, RunsManyWindowsOfSimulatorsThatAnswerAtOnceAndEnds) {
  WindowOptions options = lockstep();
  options.windows = 100'000;
  Bench bench(options);
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  EXPECT_EQ(bench.sink.reason, "");
  EXPECT_EQ(bench.engine.physics_stats().windows, 100'000U);
  EXPECT_EQ(bench.sink.starts.back().from, SimTime{99'999 * 10ms});
  EXPECT_TRUE(bench.physics.closed);
  EXPECT_TRUE(bench.network.closed);
}

TEST(WindowEngine, PacketsGoOutAndVerdictsComeBack) {
  Bench bench(lockstep());
  bench.packets.capture(0, SimTime{});
  bench.packets.capture(1, SimTime{});
  bench.engine.start();
  bench.network.next.verdicts = {{.packet = 1, .receiver = RobotIndex{1}, .release_at = SimTime{20ms}}, {.packet = 9}};
  bench.network.next.forget = {0};
  bench.network.end();
  bench.physics.end();
  EXPECT_THAT(bench.journal, ElementsAre("w0", "p0.0", "n0.0#0#1", "v1", "f0", "w1", "p1.1", "n1.1@0<P0"));
  EXPECT_EQ(bench.engine.verdict_stats().unknown, 1U);
}

TEST(WindowEngine, LinkStatesChangeAtTheBarrierWithTheLagAndAtOnceWithout) {
  for (const bool lag : {true, false}) {
    WindowOptions options = lockstep();
    options.lag_one_window = lag;
    Bench bench(options);
    bench.engine.start();
    if (!lag) {
      bench.physics.end();
    }
    bench.network.next.has_links = true;
    bench.network.next.links.window = 5;
    bench.network.end();
    EXPECT_EQ(std::ranges::count(bench.journal, "links5"), lag ? 0 : 1);
    if (lag) {
      bench.physics.end();
      EXPECT_THAT(bench.journal, ElementsAre("w0", "p0.0", "n0.0", "links5", "w1", "p1.1", "n1.1@0<P0"));
    }
  }
}

TEST(WindowEngine, AFailureEndsTheRunAndClosesBoth) {
  Bench bench(lockstep());
  bench.engine.start();
  bench.physics.fail("the peer closed the connection");
  EXPECT_EQ(bench.sink.reason, "physics cannot continue: the peer closed the connection");
  EXPECT_TRUE(bench.physics.closed);
  EXPECT_TRUE(bench.network.closed);
  bench.network.end();
  EXPECT_EQ(bench.journal.back(), "ended") << "an answer after the end changes nothing";
}

TEST(WindowEngine, TheSameInputsGiveTheSameJournal) {
  const auto run = [] {
    WindowOptions options = lockstep();
    options.windows = 500;
    Bench bench(options);
    bench.physics.answer_at_once = bench.network.answer_at_once = true;
    for (std::uint64_t id = 0; id < 50; ++id) {
      bench.packets.capture(id, SimTime{std::chrono::milliseconds(id)});
    }
    bench.engine.start();
    return bench.journal;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Paces wall and dilate: boundaries, deadlines, what being late costs, coming back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/run/windows/window_engine.h"
#include "tests/gateway/run/windows/window_fakes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

WindowOptions wall() {
  return {.window = 10ms, .pace = Pace::kWall};
}

TEST(WindowDeadlines, TheNextWindowWaitsForItsInstant) {
  Bench bench(wall());
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  bench.to(10ms - 1ns);
  EXPECT_EQ(bench.engine.window(), 0U);
  bench.to(10ms);
  EXPECT_EQ(bench.engine.window(), 1U);
  EXPECT_EQ(bench.sink.starts[1].at, bench.origin + 10ms);
  EXPECT_EQ(bench.engine.physics_stats().missed, 0U);
}

TEST(WindowDeadlines, BoundariesDoNotDriftWhenAlarmsAreLate) {
  Bench bench(wall());
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  bench.timer.advance_to(bench.origin + 1s, 300us);
  EXPECT_EQ(bench.engine.window(), 99U);
  EXPECT_EQ(bench.sink.starts[99].at, bench.origin + 990ms);
  EXPECT_EQ(bench.engine.boundaries().max(), 300us);
}

TEST(WindowDeadlines, DilationStretchesBoundariesExactly) {
  WindowOptions options = wall();
  options.pace = Pace::kDilate;
  options.dilation = {300'000};
  Bench bench(options);
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  bench.to(100ms);
  EXPECT_EQ(bench.engine.window(), 3U) << "10 ms of sim time take 33.333333 ms";
  EXPECT_EQ(bench.sink.starts[3].at, bench.origin + 100ms);
  EXPECT_EQ(bench.sink.starts[1].at, bench.origin + 33'333'334ns);
}

// Begins 3 ms later than it might, moves by hand, and can stand.
class HandTimeline final : public WindowTimeline {
 public:
  HostTime begin(HostTime now, Nanoseconds) override { return origin_ = now + 3ms; }
  void window_began(HostTime, SimTime from, Nanoseconds) override { began.push_back(from); }
  [[nodiscard]] HostTime host_at(SimTime instant) const override {
    return origin_ + instant.time_since_epoch() + shift;
  }
  [[nodiscard]] SimTime sim_at(HostTime instant) const override { return SimTime{instant - origin_ - shift}; }
  [[nodiscard]] bool stands() const override { return standing; }

  Nanoseconds shift{0};
  bool standing = false;
  std::vector<SimTime> began;

 private:
  HostTime origin_{};
};

TEST(WindowDeadlines, ATimelineFromOutsideIsFollowed) {
  HandTimeline timeline;
  Bench bench(wall());
  bench.engine.follow(timeline);
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  EXPECT_FALSE(bench.engine.running()) << "window 0 waits for its instant";
  bench.to(13ms - 1ns);
  EXPECT_EQ(bench.engine.window(), 0U);
  bench.to(13ms);
  EXPECT_EQ(bench.engine.window(), 1U);
  EXPECT_EQ(bench.sink.starts[1].at, bench.origin + 13ms);
  EXPECT_THAT(timeline.began, ElementsAre(SimTime{0ms}, SimTime{10ms}));
  timeline.shift = 2ms;
  bench.engine.reschedule();
  bench.to(25ms - 1ns);
  EXPECT_EQ(bench.engine.window(), 1U) << "the boundary has moved away";
  bench.to(25ms);
  EXPECT_EQ(bench.engine.window(), 2U);
  EXPECT_EQ(bench.engine.physics_stats().late.count(), 0U);
}

// At 15 ms, in window 1.
struct HandMoved {
  HandMoved() {
    bench.engine.follow(timeline);
    bench.physics.answer_at_once = bench.network.answer_at_once = true;
    bench.engine.start();
    bench.to(15ms);
  }

  HandTimeline timeline;
  Bench bench{wall()};
};

TEST(WindowDeadlines, WindowsStandWhileTheirTimelineDoes) {
  HandMoved moved;
  auto& [timeline, bench] = moved;
  timeline.standing = true;
  bench.engine.reschedule();
  bench.to(100ms);
  EXPECT_EQ(bench.engine.window(), 1U);
  timeline.standing = false;
  timeline.shift = 85ms;
  bench.engine.reschedule();
  bench.to(108ms);
  EXPECT_EQ(bench.engine.window(), 2U);
  EXPECT_EQ(bench.engine.physics_stats().missed, 0U);
}

// As when the thread is held up for longer than a window, and finds out that time is too far before it gets to the
// boundary.
TEST(WindowDeadlines, ABoundaryThatIsPastIsServedAlsoWhenTimeStands) {
  HandMoved moved;
  auto& [timeline, bench] = moved;
  EXPECT_EQ(bench.engine.window(), 1U);
  timeline.shift = -10ms;  // it is 22 ms
  timeline.standing = true;
  bench.engine.reschedule();
  bench.to(16ms);
  EXPECT_EQ(bench.engine.window(), 2U);
  timeline.shift = 0ms;
  bench.engine.reschedule();
  bench.to(100ms);
  EXPECT_EQ(bench.engine.window(), 2U);
}

TEST(WindowDeadlines, HoldLastContinuesAndCountsEverything) {
  Bench bench(wall());
  bench.network.answer_at_once = true;
  bench.engine.start();
  bench.to(10ms);
  EXPECT_THAT(bench.journal, ElementsAre("w0", "p0.0", "n0.0", "w1", "n1.1"));
  EXPECT_EQ(bench.engine.physics_stats().missed, 1U);
  bench.to(25ms);
  bench.physics.end();  // window 0, 15 ms after its deadline
  EXPECT_EQ(bench.engine.physics_stats().late.count(), 1U);
  EXPECT_EQ(bench.engine.physics_stats().late.max(), 15ms);
  EXPECT_EQ(bench.engine.physics_stats().late_share(), 1.0);
  EXPECT_EQ(bench.engine.network_stats().late.count(), 0U);
  EXPECT_TRUE(bench.engine.running());
}

TEST(WindowDeadlines, EndAtTheDeadlineIsOnTime) {
  Bench bench(wall());
  bench.engine.start();
  bench.timer.advance_to(bench.origin + 10ms, 5us);  // the alarm rings later
  bench.physics.end();
  bench.network.end();
  EXPECT_EQ(bench.engine.physics_stats().late.count(), 0U);
  EXPECT_EQ(bench.engine.physics_stats().missed, 0U);
}

TEST(WindowDeadlines, ComingBackCatchesUpOnEveryWindow) {
  Bench bench(wall());
  bench.network.answer_at_once = true;
  bench.engine.start();
  bench.to(35ms);
  bench.physics.end();
  bench.physics.end();
  bench.physics.end();
  bench.physics.end();
  bench.to(39ms);
  EXPECT_EQ(bench.physics.steps.size(), 4U) << "windows 0 to 3; 4 has not begun";
  EXPECT_EQ(bench.engine.physics_stats().windows, 4U);
  EXPECT_EQ(bench.engine.physics_stats().late.count(), 3U) << "window 3 ended in time";
  bench.to(40ms);
  EXPECT_EQ(bench.physics.steps.back().window, 4U);
  EXPECT_EQ(bench.journal.back(), "n4.4@3<P3") << "and the network sees the newest scene again";
}

TEST(WindowDeadlines, ComingBackSkipsWhenConfigured) {
  WindowOptions options = wall();
  options.recovery = Recovery::kSkip;
  Bench bench(options);
  bench.network.answer_at_once = true;
  bench.engine.start();
  bench.to(35ms);
  bench.physics.end();
  EXPECT_EQ(bench.physics.steps.back().window, 3U);
  EXPECT_EQ(bench.physics.steps.back().from, SimTime{30ms});
  EXPECT_EQ(bench.engine.physics_stats().skipped, 2U);
}

TEST(WindowDeadlines, StallSkipsUnneededWindows) {
  for (const Recovery recovery : {Recovery::kSkip, Recovery::kCatchUp}) {
    WindowOptions options = wall();
    options.recovery = recovery;
    Bench bench(options);
    bench.physics.answer_at_once = bench.network.answer_at_once = true;
    bench.engine.start();
    bench.timer.advance_to(bench.origin + 46ms, 36ms);  // the first alarm rings in window 4
    const bool skips = recovery == Recovery::kSkip;
    EXPECT_EQ(bench.sink.starts[1].window, skips ? 4U : 1U);
    EXPECT_EQ(bench.physics.steps[1].from, SimTime{skips ? 40ms : 10ms});
    EXPECT_EQ(bench.engine.physics_stats().skipped, skips ? 3U : 0U);
  }
}

TEST(WindowDeadlines, ClocksConvertBothWays) {
  WindowOptions options = wall();
  options.pace = Pace::kDilate;
  options.dilation = {250'000};
  Bench bench(options);
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  for (const Nanoseconds host : {0ms, 100ms, 170ms}) {
    bench.to(host);
    EXPECT_EQ(bench.engine.host_at(SimTime{25ms}), bench.origin + 100ms);
    EXPECT_EQ(bench.engine.sim_at(bench.origin + 100ms), SimTime{25ms});
    EXPECT_EQ(bench.engine.sim_at(bench.origin + 4ns), SimTime{1ns});
  }
}

TEST(WindowDeadlines, LinkStatesMayCountAtOnce) {
  WindowOptions options = wall();
  options.links_at_once = true;
  Bench bench(options);
  bench.engine.start();
  bench.network.next.has_links = true;
  bench.network.end();
  EXPECT_EQ(bench.journal.back(), "links0");
  bench.to(10ms);
  EXPECT_EQ(std::ranges::count(bench.journal, "links0"), 1);
}

TEST(WindowDeadlines, HaltStopsCleanlyAndNamesTheSimulator) {
  WindowOptions options = wall();
  options.late = LatePolicy::kHalt;
  Bench bench(options);
  bench.physics.answer_at_once = true;
  bench.engine.start();
  bench.to(10ms);
  EXPECT_EQ(bench.sink.reason, "netsim missed the deadline of window 0; the run stops (late: halt)");
  EXPECT_TRUE(bench.physics.closed);
}

TEST(WindowDeadlines, DiscardDropsPacketsDueBeforeTheirVerdict) {
  for (const LatePolicy policy : {LatePolicy::kDiscard, LatePolicy::kHoldLast}) {
    WindowOptions options = wall();
    options.late = policy;
    Bench bench(options);
    bench.packets.capture(0, SimTime{-1ns});
    bench.packets.capture(1, SimTime{-1ns});
    bench.physics.answer_at_once = true;
    bench.engine.start();
    bench.network.next.verdicts = {{.packet = 0, .receiver = RobotIndex{1}, .release_at = SimTime{12ms}},
                                   {.packet = 1, .receiver = RobotIndex{1}, .release_at = SimTime{13ms}}};
    bench.to(12ms + 500us);
    bench.network.end();
    const bool discard = policy == LatePolicy::kDiscard;
    EXPECT_THAT(bench.journal, testing::Contains(discard ? "v0!too_late" : "v0"));
    EXPECT_THAT(bench.journal, testing::Contains("v1"));
    EXPECT_EQ(bench.engine.verdict_stats().late.max(), 500us);
  }
}

TEST(WindowDeadlines, PacketsBelongToTheWindowAfterTheirCapture) {
  Bench bench(wall());
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  bench.packets.capture(0, SimTime{10ms - 1ns});
  bench.packets.capture(1, SimTime{10ms});
  bench.to(20ms);
  EXPECT_THAT(bench.journal,
              ElementsAre("w0", "p0.0", "n0.0", "w1", "p1.1", "n1.1@0<P0#0", "w2", "p2.2", "n2.2@1<P1#1"));
}

TEST(WindowDeadlines, PacketsWithoutAVerdictExpire) {
  WindowOptions options = wall();
  options.packet_hold = 25ms;
  Bench bench(options);
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.engine.start();
  bench.packets.capture(0, SimTime{4ms});
  bench.to(20ms);
  EXPECT_THAT(bench.journal, testing::Not(testing::Contains("f0")));
  bench.to(30ms);
  EXPECT_THAT(bench.journal, testing::Contains("f0"));
  EXPECT_EQ(bench.engine.verdict_stats().expired, 1U);
}

TEST(WindowDeadlines, WithoutTheLagALatePhysicsMakesTheNetworkLateOnce) {
  WindowOptions options = wall();
  options.lag_one_window = false;
  Bench bench(options);
  bench.network.answer_at_once = true;
  bench.engine.start();
  bench.to(50ms);
  EXPECT_THAT(bench.journal,
              ElementsAre("w0", "p0.0", "w1", "n0.0", "n1.1", "w2", "n2.2", "w3", "n3.3", "w4", "n4.4", "w5", "n5.5"));
  EXPECT_EQ(bench.engine.network_stats().missed, 1U);
}

}  // namespace
}  // namespace hilgate::test

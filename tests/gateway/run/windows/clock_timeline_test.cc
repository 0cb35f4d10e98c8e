// SPDX-License-Identifier: Apache-2.0
// Windows on the disciplined clock, on injected time: gateways with hosts of their own and one reference.
#include "gateway/run/windows/window_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/gateway/run/windows/window_fakes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kTimelineStart = 1'700'000'000s;

// A reference that everybody hears, and the host that hears it: its clock begins anywhere and runs at its own rate.
struct Host {
  double rate = 1;       // reference time per host time
  Nanoseconds phase{0};  // how much later than others its clock begins
  Nanoseconds jump{0};   // of the reference
  bool reference = true;
  [[nodiscard]] WallTime truth(HostTime host) const {
    const auto since = static_cast<double>((host - HostTime{1000s}).count());
    return WallTime{kTimelineStart + phase + jump + Nanoseconds{std::llround(since * rate)}};
  }
};

class HeardReference final : public ReferenceSource {
 public:
  HeardReference(const Host& host, const FakeTimer& timer) : host_(host), timer_(timer) {}
  [[nodiscard]] std::string describe() const override { return "heard"; }
  [[nodiscard]] bool has_reference() const override { return host_.reference; }
  ReferenceReading read() override {
    ReferenceReading reading;
    reading.sample = ReferenceSample{timer_.now(), host_.truth(timer_.now())};
    return reading;
  }

 private:
  const Host& host_;
  const FakeTimer& timer_;
};

class Gateway {
 public:
  Gateway(Host host, Nanoseconds window, Dilation dilation = {}, bool ready = true, SimTime first = {})
      : host_(host),
        bench_({.window = window, .pace = Pace::kDilate, .begin = first}),
        clock_(std::make_unique<HeardReference>(host_, bench_.timer), {}, {now(), host_.truth(now()) + 20ms}),
        timeline_(clock_, now(), dilation, {}, first) {
    bench_.engine.follow(timeline_);
    bench_.physics.ready_at_once = ready;
    bench_.physics.answer_at_once = bench_.network.answer_at_once = true;
    bench_.engine.start();
  }

  void pass(Nanoseconds span) {
    const HostTime end = now() + span;
    while (now() < end) {
      bench_.timer.advance_to(now() + 50ms);
      clock_.poll(now());
      change([](ClockTimeline&, HostTime) {});
    }
  }
  void change(const std::function<void(ClockTimeline&, HostTime)>& what) {
    what(timeline_, now());
    timeline_.advance(now());
    bench_.engine.reschedule();
  }

  [[nodiscard]] HostTime now() const { return bench_.timer.now(); }
  [[nodiscard]] Bench& bench() { return bench_; }
  [[nodiscard]] ClockTimeline& timeline() { return timeline_; }
  [[nodiscard]] Host& host() { return host_; }
  /// The reference's instant at which the last window began.
  [[nodiscard]] WallTime last() const { return host_.truth(bench_.sink.starts.back().at); }
  /// How far the last window began from a multiple of `length`.
  [[nodiscard]] Nanoseconds off(Nanoseconds length) const {
    const Nanoseconds past = last().time_since_epoch() % length;
    return std::min(past, length - past);
  }

 private:
  Host host_;
  Bench bench_;
  DisciplinedClock clock_;
  ClockTimeline timeline_;
};

TEST(ClockTimeline, GatewaysWithOneReferencePlaceWindowsAtTheSameInstants) {
  Gateway one({.rate = 1 + 30e-6, .phase = 123'456'789ns}, 8ms);
  Gateway two({.rate = 1 - 45e-6, .phase = 987'654'321ns}, 8ms);
  for (Gateway* gateway : {&one, &two}) {
    gateway->pass(20s);
    EXPECT_LT(gateway->off(8ms), 1us);
  }
}

TEST(ClockTimeline, WindowsThatDivideTheSecondBeginOnIt) {
  for (const Nanoseconds window : {1ms, 2ms, 20ms, 250ms}) {
    Gateway gateway({.phase = 777'777ns}, window);
    gateway.pass(12s);
    EXPECT_LT(gateway.off(window), 1us) << window.count();
  }
  // Of a window that does not divide it all are as far apart as they are long, wherever the first was.
  Gateway odd({.phase = 777'777ns}, 3s);
  odd.pass(30s);
  EXPECT_LT(odd.off(1s), 1us);
}

TEST(ClockTimeline, ASlowerPaceHasItsBoundariesInPlaceToo) {
  Gateway gateway({.rate = 1 + 10e-6, .phase = 5ms + 3ns}, 10ms, {300'000});
  gateway.pass(20s);
  // 10 ms of sim time are 33.3 ms of wall time, 3 of them 100 ms.
  const double third = static_cast<double>(gateway.off(100ms).count()) / 1e8 * 3;
  EXPECT_NEAR(third, std::round(third), 3e-5);
  const SimTime before = gateway.timeline().sim_at(gateway.now());
  gateway.pass(10s);
  EXPECT_NEAR(static_cast<double>((gateway.timeline().sim_at(gateway.now()) - before).count()), 3e9 * (1 + 10e-6), 1e3);
}

TEST(ClockTimeline, TheFirstWindowMayBeginLaterInTheSimulation) {
  for (const bool reference : {false, true}) {
    Gateway gateway({.phase = 777'777ns, .reference = reference}, 8ms, {}, true, SimTime{90s});
    gateway.pass(1s);
    const auto& starts = gateway.bench().sink.starts;
    EXPECT_EQ(starts.front().from, SimTime{90s});
    EXPECT_LE(starts.front().at, HostTime{1000s + 16ms}) << "at once, or in its place";
    EXPECT_GE(starts.back().from, SimTime{90900ms});
    EXPECT_LE(starts.back().from, SimTime{91s});
  }
}

TEST(ClockTimeline, AnotherSimulationHasItsWindowsWhereItsSiteHasThem) {
  for (const Nanoseconds before : {Nanoseconds{10min}, Nanoseconds{3s}}) {  // its beginning; this one's is 20 s ago
    Gateway gateway({.rate = 1 + 30e-6, .phase = 777'777ns}, 10ms);
    gateway.pass(20s);
    const WallTime now = gateway.host().truth(gateway.now());
    const WallTime zero = WallTime{now.time_since_epoch() / 10ms * 10ms} - before;
    const SimTime first{before + 500ms};
    gateway.timeline().begin_anew(gateway.now(), first, zero);
    EXPECT_EQ(gateway.timeline().sim_at(gateway.now()), first) << "stands until the window begins";
    EXPECT_FALSE(gateway.timeline().zero(gateway.now()));
    gateway.bench().engine.begin_anew(static_cast<std::uint64_t>(first.time_since_epoch() / 10ms), first);
    EXPECT_FALSE(gateway.bench().engine.running());
    gateway.pass(400ms);
    EXPECT_FALSE(gateway.bench().engine.running());
    gateway.pass(5s);
    ASSERT_TRUE(gateway.bench().engine.running());
    EXPECT_LT(gateway.off(10ms), 1us);
    EXPECT_LT(std::abs((*gateway.timeline().zero(gateway.now()) - zero).count()), 1000);
    EXPECT_EQ(gateway.bench().engine.physics_stats().missed, 0U);
  }
}

TEST(ClockTimeline, WithoutAReferenceWindowsBeginAtOnce) {
  Gateway gateway({.phase = 777'777ns, .reference = false}, 8ms);
  EXPECT_TRUE(gateway.bench().engine.running());
  EXPECT_EQ(gateway.bench().sink.starts.front().at, HostTime{1000s});
}

TEST(ClockTimeline, AStepMovesTheNextBoundariesAndNoOther) {
  Gateway gateway({}, 10ms);
  gateway.pass(20s);
  const std::size_t before = gateway.bench().sink.starts.size();
  gateway.host().jump = 3ms;
  gateway.pass(10s);
  EXPECT_LT(gateway.off(10ms), 1us) << "in place on the clock as it is now";
  const auto& starts = gateway.bench().sink.starts;
  int prolonged = 0;
  for (std::size_t i = before - 5; i < starts.size(); ++i) {
    const Nanoseconds length = starts[i].at - starts[i - 1].at;
    EXPECT_EQ(starts[i].from - starts[i - 1].from, 10ms) << "sim time knows nothing of it";
    EXPECT_GT(length, 10ms - 10us) << "no window is cut short";
    EXPECT_LT(length, 20ms + 10us);
    prolonged += length > 11ms ? 1 : 0;
  }
  EXPECT_EQ(prolonged, 1);
}

TEST(ClockTimeline, AStepBeforeTheSimulatorsAreReadyIsTakenUpAtTheStart) {
  Gateway gateway({.phase = 123'456ns}, 10ms, {}, false);
  gateway.pass(5s);
  EXPECT_FALSE(gateway.bench().engine.running());
  gateway.bench().physics.ready();
  gateway.pass(1s);
  EXPECT_LT(gateway.off(10ms), 1us);
  const auto& starts = gateway.bench().sink.starts;
  EXPECT_EQ(starts[1].at - starts[0].at, starts[2].at - starts[1].at) << "nothing was left to prolong";
}

TEST(ClockTimeline, AReferenceThatJumpsFarIsNotFollowed) {
  for (const Nanoseconds jump : {Nanoseconds{37s}, Nanoseconds{-37s}, Nanoseconds{-kTimelineStart}}) {
    Gateway gateway({}, 10ms);
    gateway.pass(20s);
    gateway.host().jump = jump;
    const std::size_t before = gateway.bench().sink.starts.size();
    gateway.pass(10s);
    EXPECT_EQ(gateway.bench().sink.starts.size(), before + 1000) << jump.count();
  }
}

TEST(ClockTimeline, SimTimeNeverDecreases) {
  Gateway gateway({.rate = 1 + 50e-6, .phase = 1ms}, 20ms, {500'000});
  SimTime last{};
  const auto pass = [&](Nanoseconds span) {
    const HostTime end = gateway.now() + span;
    while (gateway.now() < end) {
      gateway.pass(50ms);
      const SimTime sim = gateway.timeline().sim_at(gateway.now());
      EXPECT_GE(sim, last);
      last = sim;
    }
  };
  pass(5s);
  gateway.change([](ClockTimeline& timeline, HostTime now) { timeline.pause(now); });
  pass(1s);
  const std::uint64_t stood = gateway.bench().engine.window();
  const SimTime paused = last;
  pass(1s);
  EXPECT_EQ(last, paused);
  EXPECT_EQ(gateway.bench().engine.window(), stood);
  gateway.change([](ClockTimeline& timeline, HostTime now) { timeline.resume(now); });
  pass(2s);
  EXPECT_GE(last, paused + 950ms);
  gateway.change([](ClockTimeline& timeline, HostTime now) { timeline.set_factor(now, {2'000'000}); });
  pass(2s);
  EXPECT_LT(gateway.off(10ms), 1us);
  gateway.host().jump = -4ms;
  pass(10s);
  gateway.bench().engine.change_window(50ms);
  pass(2s);
  EXPECT_LT(gateway.off(25ms), 1us);
  EXPECT_EQ(gateway.bench().engine.physics_stats().missed, 0U);
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// The disciplined clock on injected time: a reference that does what references do.
#include "clock/servo/disciplined_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// What the test says the world is; host time is the index of the story.
struct World {
  HostTime now{};
  double drift = 20e-6;  // the host's oscillator runs slow by this
  Nanoseconds offset = 1'700'000'000s;
  bool silent = false;
  Nanoseconds noise = 1us;
  std::mt19937_64 random{42};

  [[nodiscard]] WallTime truth(HostTime host) const {
    const Nanoseconds span = host.time_since_epoch();
    return WallTime{offset + span + Nanoseconds{std::llround(static_cast<double>(span.count()) * drift)}};
  }
};

class ModelSource final : public ReferenceSource {
 public:
  explicit ModelSource(World& world) : world_(world) {}
  [[nodiscard]] std::string describe() const override { return "model"; }
  ReferenceReading read() override {
    ReferenceReading reading;
    if (!world_.silent) {
      std::normal_distribution<double> noise{0, static_cast<double>(world_.noise.count())};
      const Nanoseconds error{std::llround(noise(world_.random))};
      reading.sample = ReferenceSample{world_.now, world_.truth(world_.now) + error};
    }
    return reading;
  }

 private:
  World& world_;
};

class DisciplinedClockTest : public ::testing::Test {
 protected:
  // Polls every 100 ms, so 10 measurements per second; checks in between what must never break.
  void pass(Nanoseconds span) {
    const HostTime end = world.now + span;
    while (world.now < end) {
      const WindowPlan before = clock.windows().plan();
      clock.poll(world.now);
      const WindowPlan after = clock.windows().plan();
      EXPECT_EQ(before.wall(world.now), after.wall(world.now)) << "no jump but at a boundary";
      world.now += 100ms;
    }
  }
  [[nodiscard]] Nanoseconds error() const { return clock.windows().plan().wall(world.now) - world.truth(world.now); }
  [[nodiscard]] std::uint64_t count(ClockEventKind kind) const { return clock.events().count(kind); }

  World world;
  DisciplinedClock clock{std::make_unique<ModelSource>(world), {}, {HostTime{}, WallTime{1'699'999'990s}}};
};

TEST_F(DisciplinedClockTest, TakesOverTheFirstReferenceHoweverFar) {
  pass(20s);
  EXPECT_EQ(clock.status(world.now).state, ReferenceState::kTracking);
  EXPECT_LT(std::chrono::abs(error()), 2us);
  EXPECT_NEAR(clock.status(world.now).rate_ppb, 20'000, 1500);
  EXPECT_EQ(count(ClockEventKind::kStep), 1U);
  EXPECT_EQ(count(ClockEventKind::kJump), 0U) << "the first reference is no surprise";
}

TEST_F(DisciplinedClockTest, HoldsOverWithinItsBudgetAndReturnsWithoutAStep) {
  pass(20s);
  world.silent = true;
  pass(60s);
  EXPECT_EQ(clock.status(world.now).state, ReferenceState::kHoldover);
  EXPECT_GT(clock.status(world.now).drift_allowance, 55us);
  EXPECT_LT(std::chrono::abs(error()), clock.status(world.now).drift_allowance);
  world.silent = false;
  pass(20s);
  EXPECT_LT(std::chrono::abs(error()), 2us);
  EXPECT_EQ(count(ClockEventKind::kStep), 1U);
  EXPECT_EQ(count(ClockEventKind::kReferenceLost), 1U);
  EXPECT_EQ(count(ClockEventKind::kReferenceReturned), 1U);
}

TEST_F(DisciplinedClockTest, FollowsAStepOnceItIsSure) {
  pass(20s);
  world.offset += 3s;
  pass(100ms);
  EXPECT_EQ(count(ClockEventKind::kJump), 1U);
  EXPECT_NEAR(static_cast<double>(error().count()), -3e9, 1e5) << "held";
  pass(20s);
  EXPECT_LT(std::chrono::abs(error()), 2us);
  EXPECT_EQ(count(ClockEventKind::kStep), 2U);
  EXPECT_EQ(count(ClockEventKind::kOutlier), 0U);
}

TEST_F(DisciplinedClockTest, Holds37SecondsAnd1970) {
  pass(20s);
  for (const Nanoseconds jump : {Nanoseconds{37s}, Nanoseconds{-1'700'000'000s}}) {
    const Nanoseconds before = world.offset;
    const std::uint64_t refused = count(ClockEventKind::kJumpRefused);
    const HostTime deadline = clock.windows().plan().next_boundary(world.now + 5s);
    world.offset += jump;
    pass(5s);
    world.offset = before;
    EXPECT_LT(std::chrono::abs(error()), 20us);
    EXPECT_NEAR(static_cast<double>((clock.windows().plan().next_boundary(deadline - 1ms) - deadline).count()), 0,
                1.1e6)
        << "instants on the host's clock stay where they were";
    EXPECT_EQ(count(ClockEventKind::kJumpRefused), refused + 1);
    pass(20s);
    EXPECT_LT(std::chrono::abs(error()), 2us) << "the reference came back to its senses";
  }
  EXPECT_EQ(count(ClockEventKind::kStep), 1U);
}

TEST_F(DisciplinedClockTest, OneWildMeasurementIsAnOutlier) {
  pass(20s);
  world.offset += 2ms;
  pass(100ms);
  world.offset -= 2ms;
  pass(1s);
  EXPECT_EQ(count(ClockEventKind::kOutlier), 1U);
  EXPECT_EQ(count(ClockEventKind::kStep), 1U);
  EXPECT_LT(std::chrono::abs(error()), 2us);
}

TEST_F(DisciplinedClockTest, FollowsAnOscillatorThatWarmsUp) {
  pass(20s);
  Nanoseconds worst{0};
  for (int i = 0; i < 60; ++i) {
    const double change = 10e-9;  // per second
    // The rate changes and the time does not.
    world.offset -= Nanoseconds{std::llround(static_cast<double>(world.now.time_since_epoch().count()) * change)};
    world.drift += change;
    pass(1s);
    worst = std::max(worst, std::chrono::abs(error()));
  }
  EXPECT_LT(worst, 3us);
  EXPECT_EQ(count(ClockEventKind::kStep), 1U);
}

TEST_F(DisciplinedClockTest, TimesBefore1970AreIgnored) {
  world.offset = -100'000s;
  pass(2s);
  EXPECT_THAT(clock.status(world.now).problem, ::testing::HasSubstr("before 1970"));
  EXPECT_EQ(count(ClockEventKind::kStep), 0U);
}

TEST(OffsetMeter, SumsUp) {
  OffsetMeter meter;
  EXPECT_EQ(meter.summary().samples, 0U);
  for (int i = 1; i <= 100; ++i) {
    meter.add(Nanoseconds{i % 2 == 0 ? i : -i});
  }
  const OffsetSummary summary = meter.summary();
  EXPECT_EQ(summary.samples, 100U);
  EXPECT_EQ(summary.last, 100ns);
  EXPECT_EQ(summary.p99, 99ns);
  EXPECT_EQ(summary.most, 100ns);
  EXPECT_EQ(summary.rms, 58ns);
}

TEST(JumpDetector, RefusesNonsense) {
  EXPECT_THROW(JumpDetector({.confirm = 1}), std::runtime_error);
  EXPECT_THROW(JumpDetector({.threshold = 0ns}), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/physics_follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Physics whose clock shows what `speed` adds up to, heard every `every`, and sim time that does as it is told.
class Follow {
 public:
  explicit Follow(const FollowOptions& options = {}, Nanoseconds every = 2ms) : follower(options), every_(every) {}

  void pass(Nanoseconds span, const std::function<double(Nanoseconds)>& speed, bool heard = true) {
    for (const HostTime end = now_ + span; now_ < end; now_ += 1ms) {
      physics_ += Nanoseconds{std::llround(1e6 * speed(now_.time_since_epoch()))};
      sim_ += Nanoseconds{std::llround(1e6 * factor_)};
      if (heard && now_.time_since_epoch() % every_ == 0ns) {
        follower.note_clock(now_, physics_, sim_);
      }
      if (now_.time_since_epoch() % 4ms == 0ns) {
        factor_ = follower.factor(now_, sim_);
      }
      worst = std::max(worst, std::chrono::abs(offset()));
    }
  }
  void jump(Nanoseconds by) { physics_ += by; }

  [[nodiscard]] Nanoseconds offset() const { return (physics_ - kEpoch) - (sim_ - SimTime{}); }
  [[nodiscard]] double factor() const { return factor_; }
  [[nodiscard]] SimTime sim() const { return sim_; }

  PhysicsFollower follower;
  Nanoseconds worst{0};

 private:
  static constexpr SimTime kEpoch{4711s};  // physics' clock began long before the run
  Nanoseconds every_;
  HostTime now_{1000s};
  SimTime physics_ = kEpoch;
  SimTime sim_{};
  double factor_ = 0;
};

double wander(Nanoseconds at) {
  return 0.75 + 0.45 * std::sin(static_cast<double>(at.count()) / 1e9 * 2 * M_PI / 3);  // 0.3 to 1.2
}
double steady(Nanoseconds) {
  return 0.6;
}
double still(Nanoseconds) {
  return 0;
}

TEST(PhysicsFollower, WaitsForTheFirstSample) {
  Follow follow;
  follow.pass(1s, steady, false);
  EXPECT_EQ(follow.sim(), SimTime{});
  EXPECT_EQ(follow.follower.report().state, FollowState::kWaiting);
}

TEST(PhysicsFollower, KeepsStepWithASteadyPhysics) {
  Follow follow;
  follow.pass(1s, steady);
  follow.worst = 0ns;
  follow.pass(10s, steady);
  EXPECT_NEAR(follow.factor(), 0.6, 1e-3);
  EXPECT_LT(follow.worst, 3ms);
  EXPECT_EQ(follow.follower.report().state, FollowState::kFollowing);
  EXPECT_FALSE(follow.follower.report().saturated);
}

TEST(PhysicsFollower, KeepsStepWithOneThatWanders) {
  Follow follow;
  follow.pass(1s, wander);
  follow.worst = 0ns;
  follow.pass(30s, wander);
  EXPECT_LT(follow.worst, 40ms) << "the rate is 150 ms old and is slewed after in 200 ms";
  EXPECT_EQ(follow.follower.report().holds, 0U);
  EXPECT_EQ(follow.follower.report().jumps, 0U);
}

TEST(PhysicsFollower, StopsAndContinuesWithPhysics) {
  Follow follow;
  follow.pass(2s, steady);
  const SimTime before = follow.sim();
  follow.pass(1s, still);
  EXPECT_LT(follow.sim() - before, 10ms) << "no farther than two intervals and what had been behind";
  EXPECT_EQ(follow.factor(), 0);
  EXPECT_EQ(follow.follower.report().state, FollowState::kHolding);
  EXPECT_EQ(follow.follower.report().holds, 1U);
  follow.pass(2s, steady);
  EXPECT_EQ(follow.follower.report().state, FollowState::kFollowing);
  EXPECT_NEAR(follow.factor(), 0.6, 1e-2);
  EXPECT_LT(std::chrono::abs(follow.offset()), 3ms);
  EXPECT_EQ(follow.follower.report().jumps, 0U);
}

TEST(PhysicsFollower, SilenceIsAStandstill) {
  Follow follow;
  follow.pass(2s, steady);
  follow.pass(1s, steady, false);
  EXPECT_EQ(follow.factor(), 0);
  EXPECT_EQ(follow.follower.report().state, FollowState::kHolding);
}

TEST(PhysicsFollower, JumpsAreNotFollowed) {
  for (const Nanoseconds by : {Nanoseconds{5s}, Nanoseconds{-100ms}}) {
    Follow follow;
    follow.pass(2s, steady);
    const SimTime before = follow.sim();
    follow.jump(by);
    follow.pass(1s, steady);
    EXPECT_EQ(follow.follower.report().jumps, 1U) << by.count();
    EXPECT_NEAR(static_cast<double>((follow.sim() - before).count()), 0.6e9, 0.02e9) << by.count();
  }
}

// A vehicle that sends two messages for each instant, the second stamped earlier than the first, as PX4 stamps its
// GLOBAL_POSITION_INT by its estimator and its ATTITUDE by the sensor; `late` is how much earlier.
class TwoStreams {
 public:
  explicit TwoStreams(const FollowOptions& options = {}) : follower(options) {}

  void pass(Nanoseconds span, double speed, Nanoseconds late) {
    for (const HostTime end = now_ + span; now_ < end; now_ += 1ms) {
      physics_ += Nanoseconds{std::llround(1e6 * speed)};
      sim += Nanoseconds{std::llround(1e6 * factor_)};
      if (now_.time_since_epoch() % 20ms == 0ns) {
        say(physics_);
        say(physics_ - late);
      }
      if (now_.time_since_epoch() % 4ms == 0ns) {
        factor_ = follower.factor(now_, sim);
      }
    }
  }
  void say(SimTime stamp) { follower.note_clock(now_, stamp, sim); }
  void jump(Nanoseconds by) { physics_ += by; }
  void wait(Nanoseconds span) { now_ += span; }
  [[nodiscard]] SimTime physics() const { return physics_; }

  PhysicsFollower follower;
  SimTime sim{};

 private:
  HostTime now_{1000s};
  SimTime physics_{4711s};
  double factor_ = 0;
};

TEST(PhysicsFollower, StampsOutOfOrderAreNoJumps) {
  for (const Nanoseconds late : {Nanoseconds{1ms}, Nanoseconds{4ms}, Nanoseconds{19ms}, Nanoseconds{60ms}}) {
    for (const double speed : {0.3, 1.0, 1.7}) {
      TwoStreams streams;
      streams.pass(1s, speed, late);
      const SimTime before = streams.sim;
      streams.pass(20s, speed, late);
      EXPECT_EQ(streams.follower.report().jumps, 0U) << late.count() << " ns at " << speed;
      EXPECT_EQ(streams.follower.report().holds, 0U) << late.count() << " ns at " << speed;
      EXPECT_NEAR(static_cast<double>((streams.sim - before).count()) / 20e9, speed, 2e-3) << late.count();
    }
  }
}

TEST(PhysicsFollower, AStampThatIsRepeatedLateWhilePhysicsStandsIsNoJump) {
  TwoStreams streams;
  streams.pass(2s, 1, 4ms);
  streams.pass(5s, 0, 4ms);
  EXPECT_EQ(streams.follower.report().jumps, 0U);
  EXPECT_EQ(streams.follower.report().state, FollowState::kHolding);
  streams.pass(2s, 1, 4ms);
  EXPECT_EQ(streams.follower.report().jumps, 0U);
  EXPECT_EQ(streams.follower.report().state, FollowState::kFollowing);
}

TEST(PhysicsFollower, ARestartIsOneJumpWithStampsOutOfOrderToo) {
  for (const Nanoseconds by : {Nanoseconds{-200ms}, Nanoseconds{-500ms}, Nanoseconds{-3s}, Nanoseconds{-4711s}}) {
    TwoStreams streams;
    streams.pass(2s, 1, 4ms);
    const SimTime before = streams.sim;
    streams.jump(by);
    streams.pass(2s, 1, 4ms);
    EXPECT_EQ(streams.follower.report().jumps, 1U) << by.count();
    EXPECT_NEAR(static_cast<double>((streams.sim - before).count()), 2e9, 0.02e9) << by.count();
  }
}

TEST(PhysicsFollower, ABufferThatIsEmptiedAtOnceIsNoJump) {
  for (const Nanoseconds silence : {Nanoseconds{500ms}, Nanoseconds{1500ms}, Nanoseconds{5s}}) {
    TwoStreams streams;
    streams.pass(2s, 1, 4ms);
    const SimTime before = streams.physics();
    streams.wait(silence);
    for (Nanoseconds held = 0ms; held <= silence; held += 20ms) {
      streams.say(before + held);
      streams.say(before + held - 4ms);
    }
    streams.jump(silence);
    streams.pass(1s, 1, 4ms);
    EXPECT_EQ(streams.follower.report().jumps, 0U) << silence.count();
    EXPECT_EQ(streams.follower.report().lags > 0, silence > 1s) << "sim time is left behind";
  }
}

// The neighbour of one ground station was unknown for a while: its flow brings at once what the other's has brought.
TEST(PhysicsFollower, AFlowThatRepeatsAnotherLateIsNoJump) {
  TwoStreams streams;
  streams.pass(2s, 1, 4ms);
  for (int time = 0; time < 20; ++time) {
    const SimTime end = streams.physics();
    for (Nanoseconds held = 480ms; held >= 0ms; held -= 20ms) {
      streams.say(end - held);
    }
    streams.pass(500ms, 1, 4ms);
  }
  EXPECT_EQ(streams.follower.report().jumps, 0U);
}

TEST(PhysicsFollower, PhysicsThatRunsAwayHasNotJumped) {
  TwoStreams streams({.fastest = 1});
  streams.pass(10s, 3, 4ms);
  EXPECT_EQ(streams.follower.report().jumps, 0U);
  EXPECT_GT(streams.follower.report().lags, 10U);
  EXPECT_EQ(streams.follower.report().saturations, 1U);
}

TEST(PhysicsFollower, AClockThatIsNotReceivedAnyMoreIsNotTooSlow) {
  TwoStreams streams;
  streams.pass(2s, 1.02, 4ms);
  streams.sim += 50ms;  // ahead, as its rate was measured a little too high
  for (int step = 0; step < 1000; ++step) {
    streams.wait(4ms);
    streams.pass(1ms, 0, 4ms);
    EXPECT_FALSE(streams.follower.report().saturated) << step;
  }
  EXPECT_EQ(streams.follower.report().saturations, 0U);
  EXPECT_EQ(streams.follower.report().state, FollowState::kHolding);
}

TEST(PhysicsFollower, ReportsTheReachedBound) {
  const FollowOptions bounds;
  EXPECT_EQ(beyond_bounds_text({.rate = 3, .offset = 300ms}, bounds),
            "physics runs at 300 % of wall time, faster than simulation time may (follow: {fastest: 200 %})");
  EXPECT_EQ(beyond_bounds_text({.rate = 0.02, .offset = -300ms}, bounds),
            "physics runs at 2 % of wall time, slower than simulation time may (follow: {slowest: 10 %})");
  EXPECT_EQ(beyond_bounds_text({.rate = 1.02, .offset = -300ms}, bounds),
            "simulation time is 0.300 s ahead of physics' clock, which runs at 102 % of wall time, and waits for it as "
            "slowly as it may (follow: {slowest: 10 %})");
  EXPECT_EQ(beyond_bounds_text({.rate = 0.98, .offset = 400ms}, bounds),
            "simulation time is 0.400 s behind physics' clock, which runs at 98 % of wall time, and catches up as fast "
            "as it may (follow: {fastest: 200 %})");
}

TEST(PhysicsFollower, ASmallOffsetIsSlewedAwayWithinTheBounds) {
  Follow follow({.fastest = 1});
  follow.pass(2s, steady);
  follow.jump(300ms);
  const SimTime before = follow.sim();
  follow.pass(500ms, steady);
  EXPECT_LE(follow.sim() - before, 500ms + 1ms) << "no faster than allowed";
  EXPECT_TRUE(follow.follower.report().saturated);
  follow.pass(3s, steady);
  EXPECT_LT(std::chrono::abs(follow.offset()), 3ms);
  EXPECT_FALSE(follow.follower.report().saturated);
  EXPECT_EQ(follow.follower.report().saturations, 1U);
  EXPECT_EQ(follow.follower.report().jumps, 0U);
}

TEST(PhysicsFollower, VehicleWithOneSampleASecondIsFollowed) {
  Follow follow({.settle = 2s, .hold_after = 3s, .jump = 10s}, 1s);
  follow.pass(10s, steady);
  follow.worst = 0ns;
  follow.pass(20s, steady);
  EXPECT_EQ(follow.follower.report().holds, 0U);
  EXPECT_LT(follow.worst, 20ms);
}

TEST(PhysicsFollower, StepsAreFollowedAtTheirSpeedAndNotPassed) {
  PhysicsFollower follower({.fastest = 1});
  HostTime now{1000s};
  EXPECT_EQ(follower.factor(now, SimTime{}), 0);
  follower.note_step(now, SimTime{10ms}, 10ms, 20ms);
  EXPECT_NEAR(follower.report().rate, 0.5, 1e-9);
  EXPECT_GT(follower.factor(now, SimTime{}), 0.1);
  EXPECT_EQ(follower.factor(now + 100ms, SimTime{20ms}), 0) << "the step from 10 to 20 ms has not been answered";
  for (int step = 2; step < 100; ++step) {
    follower.note_step(now += 10ms, SimTime{step * 10ms}, 10ms, 100us);
  }
  EXPECT_EQ(follower.factor(now, SimTime{980ms}), 1) << "physics could go faster";
  EXPECT_FALSE(follower.report().saturated) << "which is no fault";
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/window_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

HostTime host(Nanoseconds since) {
  return HostTime{since};
}
WallTime wall(Nanoseconds since) {
  return WallTime{since};
}

TEST(WindowClock, WindowZeroBeginsAtTheNextWholeSecond) {
  const WindowClock clock{{.width = 1ms}, {host(5s), wall(1000s + 300ms)}};
  const WindowPlan plan = clock.plan();
  EXPECT_EQ(plan.grid.start, wall(1001s));
  EXPECT_EQ(plan.next_boundary(host(5s)), host(5s + 700ms));
  EXPECT_EQ(plan.window(host(5s)), 0U);
  EXPECT_EQ(plan.window(host(5s + 700ms)), 0U);
  EXPECT_EQ(plan.window(host(5s + 701ms)), 1U);
}

TEST(WindowClock, TwoGatewaysThatStartApartAgreeOnBoundaries) {
  const WindowClock one{{.width = 2ms}, {host(5s), wall(1000s + 300ms)}};
  const WindowClock other{{.width = 2ms}, {host(77s), wall(2000s + 999ms)}};
  const HostTime a = one.plan().next_boundary(host(10s));
  const HostTime b = other.plan().next_boundary(host(80s));
  EXPECT_EQ(one.plan().wall(a).time_since_epoch() % 2ms, 0ns);
  EXPECT_EQ(other.plan().wall(b).time_since_epoch() % 2ms, 0ns);
}

// Whatever the target does, wall time is continuous, goes forward, and its rate stays within the bound.
TEST(WindowClock, SlewsOnly) {
  std::mt19937_64 random{1};
  std::uniform_int_distribution<std::int64_t> jump{-400'000, 400'000};
  WindowClock clock{{.width = 1ms, .slew_time = 500ms, .most_slew = 500e-6}, {host(0s), wall(100s)}};
  for (HostTime now = host(50ms); now < host(60s); now += 50ms) {
    const WindowPlan before = clock.plan();
    clock.steer(now, {now, wall(100s) + (now - host(0s)) + Nanoseconds{jump(random)}, ClockRate::from(1 + 1e-5)});
    const WindowPlan after = clock.plan();
    EXPECT_EQ(before.wall(now), after.wall(now));
    EXPECT_GT(after.wall(now + 50ms), after.wall(now));
    EXPECT_NEAR(after.line.rate.factor(), 1.0, 520e-6);
  }
}

TEST(WindowClock, AnErrorIsGoneAfterItsTime) {
  WindowClock clock{{.slew_time = 500ms, .most_slew = 500e-6}, {host(0s), wall(100s)}};
  const WallLine target{host(0s), wall(100s + 100us), ClockRate{}};
  for (HostTime now = host(50ms); now <= host(5s); now += 50ms) {
    clock.steer(now, target);
  }
  EXPECT_NEAR(static_cast<double>((clock.plan().wall(host(5s)) - target.at(host(5s))).count()), 0, 100);
}

class StepTest : public ::testing::TestWithParam<Nanoseconds> {};

// The window that begins at the step lasts between one and two widths; then the grid is on the second again.
TEST_P(StepTest, HappensAtABoundaryAndTheGridFitsAgain) {
  WindowClock clock{{.width = 10ms}, {host(0s), wall(100s)}};
  const HostTime now = host(1s + 3ms);
  const std::uint64_t version = clock.version();
  clock.step(now, {now, clock.plan().wall(now) + GetParam(), ClockRate{}});
  EXPECT_GT(clock.version(), version);
  const WindowPlan plan = clock.plan();
  ASSERT_TRUE(plan.steps);
  EXPECT_EQ(plan.switch_at, host(1s + 10ms));
  const std::uint64_t last_before = plan.window(plan.switch_at - 1ns);
  EXPECT_EQ(plan.window(plan.switch_at), last_before + 1);
  const HostTime next = plan.next_boundary(plan.switch_at);
  EXPECT_GE(next - plan.switch_at, 10ms);
  EXPECT_LT(next - plan.switch_at, 20ms);
  EXPECT_EQ(plan.window(next), last_before + 2);
  EXPECT_EQ(plan.wall(next).time_since_epoch() % 10ms, 0ns);
  EXPECT_EQ(plan.wall(plan.switch_at) - plan.line.at(plan.switch_at), GetParam());
  EXPECT_EQ(plan.wall(plan.switch_at - 1ns), plan.line.at(plan.switch_at - 1ns)) << "before it nothing has changed";
}
INSTANTIATE_TEST_SUITE_P(Steps, StepTest, ::testing::Values(3ms, -3ms, 37s, -37s, 123456ns, -50s - 1ns));

TEST(WindowClock, ReaderEntersEveryWindowOnceAlsoAcrossAStep) {
  WindowClock clock{{.width = 1ms}, {host(0s), wall(100s)}};
  WindowReader reader{clock, host(0s)};
  std::uint64_t last = 0;
  WallLine target{host(0s), wall(100s), ClockRate::from(1 + 40e-6)};
  for (HostTime now = host(0s); now < host(3s); now += 17us) {
    if (now > host(1s) && now < host(1s + 17us)) {
      target.to -= 250us;
      clock.step(now, target);
    }
    if ((now - host(0s)) % 20ms < 17us) {
      clock.steer(now, target);
    }
    if (reader.refresh(now)) {
      EXPECT_EQ(reader.window(), last + 1);
      last = reader.window();
    }
    EXPECT_GT(reader.next_boundary(), now);
  }
  EXPECT_NEAR(static_cast<double>(last), 3000, 3);
}

TEST(WindowClock, ErrorsNamePossibleWidths) {
  try {
    WindowClock{{.width = 0ms}, {}};
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "clock: the window is 0 ns; allowed: more than 0, at most 1 h");
  }
  EXPECT_THROW(WindowClock({.width = 2h}, {}), std::runtime_error);
  EXPECT_THROW(WindowClock({.most_slew = 0.5}, {}), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "clock/tsc_clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "clock/host_now.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// How far the mapped time is from CLOCK_MONOTONIC, by the narrowest of several brackets, so that being scheduled away
// in between does not matter. Zero when the mapped time lies inside the bracket.
Nanoseconds distance(const TscClock& clock) {
  Nanoseconds best = Nanoseconds::max();
  Nanoseconds width = Nanoseconds::max();
  for (int i = 0; i < 200; ++i) {
    const HostTime before = host_now();
    const HostTime mapped = clock.now();
    const HostTime after = host_now();
    if (after - before < width) {
      width = after - before;
      best = mapped < before ? before - mapped : (mapped > after ? mapped - after : Nanoseconds{0});
    }
  }
  return best;
}

TEST(TscMapping, ExtrapolatesBothWaysWithoutOverflow) {
  const TscMapping mapping{.tsc0 = 1'000'000, .host0_ns = 5'000'000'000, .multiplier = std::uint64_t{1} << 31};
  EXPECT_EQ(mapping.host(1'000'000), HostTime{5s});
  EXPECT_EQ(mapping.host(1'000'010), HostTime{5s + 5ns});
  EXPECT_EQ(mapping.host(999'990), HostTime{5s - 5ns});
  EXPECT_EQ(mapping.host(1'000'000 + (1ULL << 60)), HostTime{5s + Nanoseconds{1LL << 59}});
}

TEST(TscClock, FollowsClockMonotonic) {
  TscClock clock;
  EXPECT_LT(distance(clock), 50us);
  const HostTime end = host_now() + 300ms;
  while (host_now() < end) {
    std::this_thread::sleep_for(15ms);  // the period of discipline(), not a wait for something
    clock.discipline();
    EXPECT_LT(std::chrono::abs(clock.last_error()), 1ms);
  }
  EXPECT_LT(distance(clock), 50us);
}

TEST(TscClock, ReadersNeverGoBackWhileItIsDisciplined) {
  TscClock clock;
  std::atomic<bool> done = false;
  const auto read = [&] {
    TscReader reader(clock);
    HostTime last = reader.now();
    while (!done.load(std::memory_order_relaxed)) {
      const HostTime now = reader.now();
      ASSERT_GE(now, last);
      last = now;
    }
  };
  std::jthread reader(read);
  for (int i = 0; i < 15; ++i) {
    std::this_thread::sleep_for(10ms);  // the period of discipline()
    clock.discipline();
  }
  done = true;
}

std::uint64_t ticks_of(const TscClock& clock, Nanoseconds span) {
  return static_cast<std::uint64_t>(static_cast<double>(span.count()) * 0x1p32 /
                                    static_cast<double>(clock.mapping().multiplier));
}

// A host that was suspended for so long: what the TSC shows now is as much more than what it showed before, or, where
// it began anew, less.
class TscAfterSuspend : public testing::TestWithParam<Nanoseconds> {
 protected:
  // The mapping is that of a counter that was not suspended.
  void suspend() { clock_.steer({read_tsc() - static_cast<std::uint64_t>(by_), host_now()}); }

  TscClock clock_;
  const std::int64_t by_ = GetParam() > 0ns ? static_cast<std::int64_t>(ticks_of(clock_, GetParam()))
                                            : -static_cast<std::int64_t>(ticks_of(clock_, -GetParam()));
  const std::uint64_t rate_ = clock_.mapping().multiplier;
};

TEST_P(TscAfterSuspend, ItsClockIsRightAgainAtOnce) {
  suspend();
  const std::uint64_t steps = clock_.steps();
  for (int poll = 0; poll < 30; ++poll) {
    clock_.discipline();
    EXPECT_LT(distance(clock_), 1ms) << poll;
    std::this_thread::sleep_for(10ms);  // the period of discipline()
  }
  EXPECT_EQ(clock_.steps(), steps + 1);
  EXPECT_NEAR(static_cast<double>(clock_.mapping().multiplier), static_cast<double>(rate_),
              2e-3 * static_cast<double>(rate_))
      << "the time of the suspension is no part of the rate";
  EXPECT_NEAR(static_cast<double>(clock_.last_step().count()), static_cast<double>(GetParam().count()), 1e7);
}

// A frame that was held is due as long after the suspension as it would have been without: the loop reads its clock
// before the control thread steers.
TEST_P(TscAfterSuspend, ReadersSeeItBeforeTheControlThreadDoes) {
  TscReader reader(clock_);
  const HostTime suspended = reader.now();
  const HostTime due = suspended + 1s;
  suspend();
  for (int iteration = 0; iteration < 1000; ++iteration) {
    const HostTime now = reader.now();
    ASSERT_GE(now, suspended);
    ASSERT_LT(now, due) << "released too soon";
  }
  EXPECT_LT(std::chrono::abs(reader.now() - host_now()), 50ms);
  clock_.discipline();
  EXPECT_GE(reader.now(), suspended);
  EXPECT_LT(std::chrono::abs(reader.now() - host_now()), 50ms);
  const HostTime before = reader.now();
  const HostTime end = host_now() + 50ms;
  while (host_now() < end) {
    ASSERT_GE(reader.now(), before);
  }
  EXPECT_GE(reader.now() - before, 49ms) << "time goes on";
}

TEST_P(TscAfterSuspend, TheControlThreadsTimeIsRightBeforeItSteers) {
  suspend();
  EXPECT_LT(distance(clock_), 1ms);
}

INSTANTIATE_TEST_SUITE_P(ForTimes, TscAfterSuspend,
                         testing::Values(Nanoseconds{2s}, Nanoseconds{30s}, Nanoseconds{8h}, Nanoseconds{-30s}));

TEST(TscClock, AProcessThatWasStoppedIsNoStep) {
  TscClock clock;
  TscReader reader(clock);
  constexpr auto kStopped = 200ms;
  std::this_thread::sleep_for(kStopped);
  clock.discipline();
  EXPECT_EQ(clock.steps(), 0U);
  EXPECT_LT(std::chrono::abs(reader.now() - host_now()), 5ms);
}

}  // namespace
}  // namespace hilgate::test

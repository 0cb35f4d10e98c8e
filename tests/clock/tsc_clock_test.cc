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

}  // namespace
}  // namespace hilgate::test

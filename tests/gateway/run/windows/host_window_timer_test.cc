// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/window_timer.h"

#include <gtest/gtest.h>

#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(HostWindowTimer, RingsOnceAndNeverEarly) {
  asio::io_context io;
  HostWindowTimer timer(io);
  const HostTime due = timer.now() + 3ms;
  HostTime rang{};
  int rings = 0;
  timer.at(due, [&] {
    rang = timer.now();
    ++rings;
  });
  ASSERT_TRUE(run_until(io, [&] { return rings > 0; }));
  EXPECT_GE(rang, due);
  EXPECT_EQ(rings, 1);
}

TEST(HostWindowTimer, AnInstantThatHasPassedRingsAtOnceButNotFromWithin) {
  asio::io_context io;
  HostWindowTimer timer(io);
  bool rang = false;
  timer.at(timer.now() - 1s, [&] { rang = true; });
  EXPECT_FALSE(rang);
  ASSERT_TRUE(run_until(io, [&] { return rang; }));
}

TEST(HostWindowTimer, ANewAlarmReplacesTheOldAndCancelRemovesIt) {
  asio::io_context io;
  HostWindowTimer timer(io);
  int first = 0;
  int second = 0;
  timer.at(timer.now() + 1ms, [&] { ++first; });
  timer.at(timer.now() + 2ms, [&] { ++second; });
  ASSERT_TRUE(run_until(io, [&] { return second == 1; }));
  EXPECT_EQ(first, 0);
  timer.at(timer.now() + 1ms, [&] { ++first; });
  timer.cancel();
  bool later = false;
  HostWindowTimer other(io);
  other.at(other.now() + 5ms, [&] { later = true; });
  ASSERT_TRUE(run_until(io, [&] { return later; }));
  EXPECT_EQ(first, 0);
}

}  // namespace
}  // namespace hilgate::test

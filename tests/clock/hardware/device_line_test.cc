// SPDX-License-Identifier: Apache-2.0
#include "clock/hardware/clock_bridges.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// A counter at 156.25 MHz, 6.4 ns a tick, that runs 30 ppm slow.
constexpr double kTick = 6.4 * (1 + 30e-6);

DeviceLine::DeviceTime ticks_at(Nanoseconds host, std::int64_t ahead = 0) {
  return DeviceLine::DeviceTime{Nanoseconds{std::llround(static_cast<double>(host.count()) / kTick) + ahead}};
}
DeviceLine::Reading reading_at(Nanoseconds host, std::int64_t ahead = 0) {
  return {ticks_at(host, ahead), HostTime{host}};
}
void expect_near(HostTime instant, Nanoseconds host, Nanoseconds by) {
  EXPECT_LE(std::chrono::abs(instant - HostTime{host}), by) << instant.time_since_epoch().count();
}

TEST(DeviceLine, FollowsACounterOfAnyFrequency) {
  DeviceLine line({.shortest = 20ms, .longest = 1s}, reading_at(0ms), ClockRate::from(6.4));
  expect_near(line.line().at(ticks_at(10ms)), 10ms, 301ns);
  for (Nanoseconds host = 100ms; host <= 5s; host += 100ms) {
    EXPECT_FALSE(line.add(reading_at(host)));
    expect_near(line.line().at(ticks_at(host + 100ms)), host + 100ms, 20ns);
    expect_near(line.line().at(ticks_at(host - 100ms)), host - 100ms, 20ns);
  }
}

TEST(DeviceLine, AStepMovesTheLineAndKeepsItsRate) {
  DeviceLine line({.shortest = 20ms, .longest = 1s}, reading_at(0ms), ClockRate::from(6.4));
  line.add(reading_at(1s));
  const std::int64_t ahead = 1'000'000'000;
  EXPECT_TRUE(line.add(reading_at(1100ms, ahead)));
  expect_near(line.line().at(ticks_at(1200ms, ahead)), 1200ms, 20ns);
  EXPECT_FALSE(line.add(reading_at(1200ms, ahead)));
  EXPECT_TRUE(line.add(reading_at(1300ms))) << "and back";
  expect_near(line.line().at(ticks_at(1400ms)), 1400ms, 20ns);
}

TEST(DeviceLine, DriftIsHowFarTheLineWasOffAtTheNewestReading) {
  DeviceLine line({.shortest = 1s, .longest = 1s}, reading_at(0ms), ClockRate::from(6.4));
  EXPECT_GE(line.drift(), 100ms * 100 / 1'000'000) << "100 ppm, unknown as yet";
  for (Nanoseconds host = 100ms; host < 1s; host += 100ms) {
    line.add(reading_at(host));
    expect_near(HostTime{line.drift()}, 3us, 20ns);  // 30 ppm of 100 ms: no rate is measured yet
  }
  for (Nanoseconds host = 1s; host < 3s; host += 100ms) {
    line.add(reading_at(host));
  }
  EXPECT_LE(line.drift(), 20ns);
  line.add(reading_at(3s, 1'000'000'000));
  EXPECT_GE(line.drift(), 10us) << "a step may come with another rate";
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/meters.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kStart{5s};

TEST(AirMeter, IsEmptyBeforeTwoSamples) {
  AirMeter meter;
  EXPECT_EQ(meter.last(0), 0);
  EXPECT_EQ(meter.total(0).busy, 0ns);
  meter.sample(kStart, {{.busy = 10ms}});
  EXPECT_EQ(meter.last(0), 0);
  EXPECT_EQ(meter.total(0).busy, 10ms);
  EXPECT_EQ(meter.last(1), 0) << "no such medium";
}

// A quarter of the time for two seconds, then half of it.
TEST(AirMeter, ReportsTheLastSecond) {
  AirMeter meter;
  Nanoseconds busy{0};
  for (int i = 0; i <= 40; ++i) {
    meter.sample(kStart + 100ms * i, {{.busy = busy, .acks_lost = static_cast<std::uint64_t>(i)}, {.busy = 0ns}});
    busy += i < 20 ? 25ms : 50ms;
    if (i == 20) {
      EXPECT_NEAR(meter.last(0), 0.25, 1e-9);
    }
  }
  EXPECT_NEAR(meter.last(0), 0.5, 1e-9);
  EXPECT_EQ(meter.last(1), 0);
  EXPECT_EQ(meter.total(0).acks_lost, 40u);
}

TEST(AirMeter, BeginsAgainWithOtherMedia) {
  AirMeter meter;
  meter.sample(kStart, {{.busy = 10ms}});
  meter.sample(kStart + 1s, {{.busy = 20ms}});
  meter.restart();
  EXPECT_EQ(meter.last(0), 0);
  meter.sample(kStart + 2s, {{.busy = 1ms}});
  meter.sample(kStart + 3s, {{.busy = 101ms}});
  EXPECT_NEAR(meter.last(0), 0.1, 1e-9);
}

}  // namespace
}  // namespace hilgate::test

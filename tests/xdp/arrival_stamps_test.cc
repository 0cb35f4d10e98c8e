// SPDX-License-Identifier: Apache-2.0
// Timestamps of a simulated device's clock as arrivals in host time.
#include "xdp/arrival_stamps.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kReadingError{200};  // of each reading of the device's clock, and so part of its margin

// A device's clock that runs `ppm` fast and can be stepped, and the control thread that reads it.
class SimulatedDevice {
 public:
  explicit SimulatedDevice(double ppm) : ppm_(ppm) {}

  [[nodiscard]] std::int64_t time(HostTime host) const {
    const auto passed = static_cast<double>(host.time_since_epoch().count());
    return kEpoch + stepped_ + std::llround(passed * (1 + ppm_ * 1e-6));
  }
  void step(Nanoseconds by) { stepped_ += by.count(); }

  /// Reads the clock at `host`, wrong by kReadingError one way and the other.
  void read(HostTime host, PortArrivals& port) {
    early_ = !early_;
    const DeviceLine::Reading reading{DeviceLine::DeviceTime{Nanoseconds{time(host)}},
                                      host + (early_ ? -kReadingError : kReadingError)};
    if (line_) {
      line_->add(reading);
    } else {
      line_.emplace(DeviceLine::Baseline{.shortest = 1s, .longest = 1s}, reading);
    }
    port.line.store(stamp_line(line_->line(), line_->drift(), kReadingError, {}));
  }

 private:
  static constexpr std::int64_t kEpoch = 1'700'000'037'000'000'000;

  double ppm_;
  std::int64_t stepped_ = 0;
  bool early_ = false;
  std::optional<DeviceLine> line_;
};

class ArrivalStampsTest : public testing::Test {
 protected:
  /// A frame that reaches the NIC at `arrives` and the program `later`.
  HostTime arrival(const SimulatedDevice& device, HostTime arrives, Nanoseconds later) {
    return stamps_.arrival(device.time(arrives), arrives + later);
  }

  PortArrivals port_;
  ArrivalStamps stamps_{port_};
};

TEST_F(ArrivalStampsTest, AreWithinTheMarginOfTheTruthWhileTheClockDrifts) {
  for (const double ppm : {-80.0, 0.0, 35.0}) {
    SimulatedDevice device(ppm);
    const std::uint64_t before = port_.by_device.get();
    std::uint64_t frames = 0;
    for (HostTime read{1s}; read < HostTime{6s}; read += 100ms) {
      device.read(read, port_);
      const Nanoseconds margin = port_.line.load().margin;
      if (read > HostTime{3s}) {
        EXPECT_LE(margin, 6 * kReadingError) << "the rate is known by now";
      }
      for (Nanoseconds after = 0ms; after < 100ms; after += 7ms, ++frames) {
        const HostTime seen = arrival(device, read + after, 20us);
        ASSERT_LE(std::chrono::abs(seen - (read + after)), margin) << ppm << " ppm, " << frames;
      }
    }
    EXPECT_EQ(port_.by_device.get() - before, frames);
  }
  EXPECT_EQ(port_.missing.get() + port_.unusable.get(), 0U);
}

TEST_F(ArrivalStampsTest, AfterAStepTheProgramsTimeHoldsUntilTheNextReading) {
  for (const Nanoseconds step : {Nanoseconds{37s}, Nanoseconds{-37s}, Nanoseconds{12ms}, Nanoseconds{-12ms}}) {
    SimulatedDevice device(20);
    HostTime now{1s};
    for (; now < HostTime{3s}; now += 100ms) {
      device.read(now, port_);
    }
    device.step(step);
    const std::uint64_t unusable = port_.unusable.get();
    EXPECT_EQ(arrival(device, now, 20us), now + 20us);
    EXPECT_EQ(port_.unusable.get(), unusable + 1);
    device.read(now, port_);
    EXPECT_LE(std::chrono::abs(arrival(device, now + 50ms, 20us) - (now + 50ms)), port_.line.load().margin);
    EXPECT_EQ(port_.unusable.get(), unusable + 1);
  }
}

TEST_F(ArrivalStampsTest, AreNeverLaterThanTheProgramSawTheFrame) {
  SimulatedDevice device(0);
  device.read(HostTime{1s}, port_);
  const Nanoseconds margin = port_.line.load().margin;
  EXPECT_EQ(arrival(device, HostTime{1s}, -margin / 2), HostTime{1s} - margin / 2) << "the error of the line";
  EXPECT_EQ(port_.by_device.get(), 1U);
  EXPECT_EQ(arrival(device, HostTime{1s}, -2 * margin), HostTime{1s} - 2 * margin);
  EXPECT_EQ(port_.unusable.get(), 1U) << "later than the program saw it";
}

TEST_F(ArrivalStampsTest, AreNotFarOlder) {
  SimulatedDevice device(0);
  device.read(HostTime{1s}, port_);
  const Nanoseconds margin = port_.line.load().margin;
  EXPECT_LE(arrival(device, HostTime{1s}, ArrivalStamps::kOldest - margin), HostTime{1s} + margin);
  EXPECT_EQ(port_.by_device.get(), 1U);
  EXPECT_EQ(arrival(device, HostTime{1s}, ArrivalStamps::kOldest + margin),
            HostTime{1s} + ArrivalStamps::kOldest + margin);
  EXPECT_EQ(port_.unusable.get(), 1U);
}

TEST_F(ArrivalStampsTest, WithoutATimestampOrALineTheProgramsTimeHolds) {
  EXPECT_EQ(stamps_.arrival(1, HostTime{1s}), HostTime{1s});
  EXPECT_EQ(port_.unusable.get(), 1U) << "no reading of the clock yet";
  SimulatedDevice device(0);
  device.read(HostTime{1s}, port_);
  EXPECT_EQ(stamps_.arrival(-EOPNOTSUPP, HostTime{1s}), HostTime{1s});
  EXPECT_EQ(port_.error.load(), EOPNOTSUPP);
  EXPECT_EQ(stamps_.arrival(0, HostTime{1s}), HostTime{1s});
  EXPECT_EQ(port_.error.load(), 0);
  EXPECT_EQ(stamps_.arrival(std::numeric_limits<std::int64_t>::min(), HostTime{1s}), HostTime{1s});
  EXPECT_EQ(port_.missing.get(), 3U);
  EXPECT_EQ(port_.by_device.get(), 0U);
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// The packet path in front of a device that keeps launch times, in simulated time, from seeds: nothing leaves before it
// is due by the device's own truth, in order, and a device that does not keep them is not relied on.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/launch_path.h"
#include "tests/support/launch_scenarios.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Uses its device as xdp/xsk_session.h uses a NIC. Models LaunchPort.
class DevicePort : public ArrivingFrames {
 public:
  DevicePort(VectorPool& pool, LaunchClock& clock, double ppm, std::uint64_t seed)
      : device(ppm, seed), readings(seed), pool_(pool), clock_(clock), random_(seed) {}
  ~DevicePort() {
    device.stuck = device.keeps_launch_times = false;
    device.advance(HostTime::max());
    reap();
  }
  DevicePort(const DevicePort&) = delete;
  DevicePort& operator=(const DevicePort&) = delete;

  bool release(const Frame& frame, HostTime due = kNoDue) {
    const HostTime now = clock_.now();
    LaunchDevice::Descriptor descriptor{.frame = frame, .note = {.due = due, .given = now}, .number = released_};
    if (device.taken() + noted_.size() == LaunchDevice::kRing) {
      return false;
    }
    if (const auto launch = launches.for_frame(due, now)) {
      descriptor.launches = true;
      descriptor.note.launch = launch->at;
      descriptor.note.asked = launch->must_stamp || random_() % 4 == 0;
      launches.given(*launch);
    }
    noted_.push_back(descriptor);
    ++released_;
    return true;
  }
  void flush() {
    const HostTime now = clock_.now();
    for (const LaunchDevice::Descriptor& descriptor : noted_) {
      EXPECT_TRUE(descriptor.launches || now >= descriptor.note.due) << "released early without a launch time";
      device.give(descriptor, now);
    }
    noted_.clear();
    device.advance(now);
    reap();
    readings.read(device.clock, now, [&](const StampLine& line) { launches.take_line(line, now); });
    launches.look(now);
  }
  [[nodiscard]] Nanoseconds launch_lead() const { return launches.lead(); }
  [[nodiscard]] std::uint64_t released() const { return released_; }
  [[nodiscard]] std::uint64_t given() const { return released_; }
  [[nodiscard]] LaunchReport report() const { return launches.report(); }

  LaunchDevice device;
  LaunchTimes launches;
  DeviceReadings readings;

 private:
  void reap() {
    device.take_completions([this](const LaunchDevice::Descriptor& done) {
      if (done.launches) {
        launches.completed(done.note, clock_.now());
      }
      pool_.free(done.frame);
    });
  }

  VectorPool& pool_;
  LaunchClock& clock_;
  std::mt19937_64 random_;
  std::vector<LaunchDevice::Descriptor> noted_;  // released since the last flush()
  std::uint64_t released_ = 0;
};
static_assert(LaunchPort<DevicePort>);

using XdpLaunchPath = LaunchPath<DevicePort>;
constexpr Nanoseconds kXdpMargin{300};  // of the clocks

TEST(LaunchPath, ADriftingDeviceSendsToTheNanosecondAndNeverEarly) {
  for (const double ppm : {-100.0, -3.0, 0.0, 50.0, 100.0}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(testing::Message() << ppm << " ppm, seed " << seed);
      XdpLaunchPath path(seed, ppm);
      expect_exact_departures(path, kXdpMargin);
    }
  }
}

// The same without launch time: the loop comes round every 15 us on average.
TEST(LaunchPath, WithoutItTheLoopIsAsLateAsItsIterations) {
  XdpLaunchPath path(1);
  path.to().readings.readable = false;
  path.run(1s);
  const XdpLaunchPath::Seen seen = path.look();
  EXPECT_EQ(seen.launched, 0U);
  EXPECT_EQ(seen.early, 0U);
  EXPECT_GT(quantile_of(seen.errors, 0.5), 5us);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kClock);
}

TEST(LaunchPath, ADeviceThatIsSlowToFetchGetsFramesEarlier) {
  XdpLaunchPath path(5);
  expect_a_slow_device_gets_frames_earlier(path, kXdpMargin);
}

TEST(LaunchPath, AFullRingDropsAndKeepsOrder) {
  XdpLaunchPath path(6);
  expect_a_full_ring_drops(path);
}

TEST(LaunchPath, ADeviceThatIgnoresLaunchTimesIsFoundBeforeAnyFrameIsEarly) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    XdpLaunchPath path(seed);
    expect_an_ignoring_device_is_found(path);
  }
}

TEST(LaunchPath, ADeviceThatBeginsToSendEarlyIsFoundByItsTimestamps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    XdpLaunchPath path(seed);
    expect_an_early_device_is_found(path);
  }
}

TEST(LaunchPath, ADeviceThatCompletesNothingIsFound) {
  XdpLaunchPath path(9);
  path.pass(kUntilUsed);
  path.look();
  path.device().stuck = true;
  path.run(40ms);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kMissing);
  EXPECT_GT(path.report().missing, 0U);
  path.run(1s);
  EXPECT_GT(path.dropped(DropReason::kTxFull), 0U) << "its ring is full, and that is not silent";
  path.device().stuck = false;
  path.pass(20s);
  EXPECT_TRUE(path.report().used);
  EXPECT_EQ(path.look().early, 0U);
}

TEST(LaunchPath, ADeviceWithoutTimestampsIsNotReliedOn) {
  XdpLaunchPath path(10);
  expect_no_reliance_without_timestamps(path);
}

TEST(LaunchPath, AResetLosesWhatTheDeviceHasAndNoMore) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    XdpLaunchPath path(seed);
    expect_resets_lose_no_more(path);
    EXPECT_EQ(path.to().released(), path.device().departures.size() + path.device().lost + path.device().ring().size());
  }
}

// A step of the device's clock is measured 100 ms later at most. One that lets frames leave early shows before, because
// they come back before they can have left.
TEST(LaunchPath, AStepOfTheDevicesClockIsFoundAndLastsUntilItIsSteadyAgain) {
  for (const Nanoseconds step : {Nanoseconds{200us}, Nanoseconds{37s}, Nanoseconds{-200us}, Nanoseconds{-5ms}}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(testing::Message() << "by " << step.count() << " ns, seed " << seed);
      XdpLaunchPath path(seed, 20);
      expect_a_step_is_found(path, step);
    }
  }
}

}  // namespace
}  // namespace hilgate::test

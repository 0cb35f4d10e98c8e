// SPDX-License-Identifier: Apache-2.0
// The packet path in front of a device that keeps launch times, in simulated time, from seeds: nothing leaves before it
// is due by the device's own truth, in order, and a device that does not keep them is not relied on.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/launch_path.h"

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

TEST(LaunchPath, ADriftingDeviceSendsToTheNanosecondAndNeverEarly) {
  for (const double ppm : {-100.0, -3.0, 0.0, 50.0, 100.0}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(testing::Message() << ppm << " ppm, seed " << seed);
      XdpLaunchPath path(seed, ppm);
      path.pass(kUntilUsed);
      EXPECT_TRUE(path.report().used);
      EXPECT_EQ(path.look().early, 0U);
      path.run(2s, 1);
      const XdpLaunchPath::Seen seen = path.look();
      EXPECT_EQ(seen.early, 0U);
      EXPECT_GT(seen.launched, seen.count * 99 / 100) << "of links with delays longer than the lead";
      EXPECT_LT(quantile_of(seen.errors, 0.5), 300ns) << "the margin of the clocks";
      EXPECT_TRUE(path.report().used);
      EXPECT_EQ(path.report().problem, LaunchProblem::kNone);
      EXPECT_EQ(path.report().early, 0U);
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
  path.pass(kUntilUsed);
  path.device().fetch = 250us;
  path.run(3s, 1);
  EXPECT_GT(path.report().late, 0U);
  EXPECT_GT(path.report().lead, 250us);
  EXPECT_LE(path.report().lead, LaunchTimes::kMostLead);
  path.look();
  path.run(3s, 1);
  const XdpLaunchPath::Seen seen = path.look();
  EXPECT_EQ(seen.early, 0U);
  EXPECT_LT(quantile_of(seen.errors, 0.5), 300ns);
  path.device().fetch = 10us;
  const Nanoseconds before = path.report().lead;
  path.pass(10s);
  EXPECT_LT(path.report().lead, before) << "it comes back slowly";
}

TEST(LaunchPath, AFullRingDropsAndKeepsOrder) {
  XdpLaunchPath path(6);
  path.pass(kUntilUsed);
  for (int i = 0; i < 1000; ++i) {
    path.send(1);
  }
  path.run(100ms, 1);
  EXPECT_GT(path.dropped(DropReason::kTxFull), 0U);
  EXPECT_EQ(path.look().early, 0U);
  EXPECT_TRUE(path.report().used);
}

TEST(LaunchPath, ADeviceThatIgnoresLaunchTimesIsFoundBeforeAnyFrameIsEarly) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    XdpLaunchPath path(seed);
    path.device().keeps_launch_times = false;
    path.pass(15s);
    const XdpLaunchPath::Seen seen = path.look();
    EXPECT_EQ(seen.early, 0U) << "seed " << seed;
    EXPECT_LE(seen.launched, 4U) << "a trial ends with the first frame, and the pauses grow";
    EXPECT_EQ(path.report().problem, LaunchProblem::kEarly);
    EXPECT_FALSE(path.report().used);
  }
}

TEST(LaunchPath, ADeviceThatBeginsToSendEarlyIsFoundByItsTimestamps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    XdpLaunchPath path(seed);
    path.pass(kUntilUsed);
    EXPECT_EQ(path.look().early, 0U);
    path.device().keeps_launch_times = false;
    path.run(50ms);
    const XdpLaunchPath::Seen seen = path.look();
    EXPECT_GT(seen.early, 0U) << "seed " << seed;
    EXPECT_LT(seen.early, 64U) << "until the next timestamp";
    EXPECT_LE(seen.earliest, LaunchTimes::kMostLead);
    EXPECT_FALSE(path.report().used);
    EXPECT_EQ(path.report().problem, LaunchProblem::kEarly);
    EXPECT_GT(path.report().early, 0U);
    path.run(200ms);
    EXPECT_EQ(path.look().early, 0U) << "the loop keeps the instants";
    path.device().keeps_launch_times = true;
    path.pass(10s);
    EXPECT_TRUE(path.report().used) << "after a pause it is tried again";
    EXPECT_EQ(path.look().early, 0U);
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
  path.device().stamps = false;
  path.pass(kUntilUsed);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kMissing);
  EXPECT_EQ(path.look().early, 0U);
}

TEST(LaunchPath, AResetLosesWhatTheDeviceHasAndNoMore) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    XdpLaunchPath path(seed);
    path.pass(kUntilUsed);
    path.look();
    for (int reset = 0; reset < 20; ++reset) {
      path.run(10ms, 1);
      EXPECT_EQ(path.look().early, 0U);
      path.device().advance(path.clock.at());
      path.look();
      path.device().reset();
      path.expect_next_at(path.to().released());
    }
    path.run(1s, 1);
    const XdpLaunchPath::Seen seen = path.look();
    EXPECT_EQ(seen.early, 0U);
    EXPECT_TRUE(path.report().used) << "its clock goes on";
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
      path.pass(kUntilUsed + 50ms);
      EXPECT_EQ(path.look().early, 0U);
      path.device().clock.step(step);
      path.run(110ms);
      const XdpLaunchPath::Seen seen = path.look();
      EXPECT_LT(seen.early, 64U);
      EXPECT_LE(seen.earliest, LaunchTimes::kMostLead);
      EXPECT_FALSE(path.report().used);
      EXPECT_EQ(path.report().problem, LaunchProblem::kClock);
      path.run(300ms);
      EXPECT_FALSE(path.report().used);
      EXPECT_EQ(path.look().early, 0U);
      path.pass(3s);
      EXPECT_TRUE(path.report().used);
      EXPECT_EQ(path.report().problem, LaunchProblem::kNone);
      EXPECT_EQ(path.look().early, 0U);
    }
  }
}

}  // namespace
}  // namespace hilgate::test

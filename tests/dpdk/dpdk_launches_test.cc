// SPDX-License-Identifier: Apache-2.0
// The packet path in front of a device of DPDK that sends on timestamps, in simulated time, from seeds. The device is
// what the port asks: it takes bursts of mbufs, and has one register for the timestamp of a marked frame.
#include "dpdk/dpdk_launches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/launch_path.h"
#include "tests/support/launch_scenarios.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// DPDK aligns fields, as each requires.
constexpr int kAligned = (offsetof(rte_mbuf, dynfield1) + alignof(rte_mbuf_timestamp_t) - 1) /
                         alignof(rte_mbuf_timestamp_t) * alignof(rte_mbuf_timestamp_t);
constexpr LaunchField kField{.offset = kAligned, .flag = std::uint64_t{1} << 23};

/// A frame of the path as the device gets it.
struct HeldMbuf {
  rte_mbuf mbuf{};
  Frame frame{};
  HostTime due{};
};

/// A transmit queue of ethdev. Satisfies LaunchDevice.
class SimulatedQueue {
 public:
  SimulatedQueue(LaunchDevice& device, LaunchClock& clock) : device_(device), clock_(clock) {}

  std::uint16_t send(std::span<rte_mbuf*> burst) {
    std::uint16_t sent = 0;
    for (rte_mbuf* mbuf : burst) {
      if (device_.taken() == LaunchDevice::kRing) {
        break;
      }
      const auto& held = *reinterpret_cast<HeldMbuf*>(mbuf);
      LaunchDevice::Descriptor descriptor{.frame = held.frame, .note = {.due = held.due}, .number = number_++};
      descriptor.launches = (mbuf->ol_flags & kField.flag) != 0;
      descriptor.note.asked = (mbuf->ol_flags & RTE_MBUF_F_TX_IEEE1588_TMST) != 0;
      descriptor.note.launch = LaunchTimes::DeviceTime{
          Nanoseconds{static_cast<std::int64_t>(*RTE_MBUF_DYNFIELD(mbuf, kField.offset, rte_mbuf_timestamp_t*))}};
      EXPECT_TRUE(descriptor.launches || clock_.at() >= held.due) << "given early without a launch time";
      device_.give(descriptor, clock_.at());
      ++sent;
    }
    return sent;
  }
  std::optional<LaunchTimes::DeviceTime> departure() { return std::exchange(latched_, std::nullopt); }

  /// The register holds the first timestamp until it is read.
  void latch(std::optional<LaunchTimes::DeviceTime> left) { latched_ = latched_ ? latched_ : left; }
  [[nodiscard]] std::uint64_t given() const { return number_; }

 private:
  LaunchDevice& device_;
  LaunchClock& clock_;
  std::optional<LaunchTimes::DeviceTime> latched_;
  std::uint64_t number_ = 0;
};
static_assert(hilgate::LaunchDevice<SimulatedQueue>);

/// Uses DpdkLaunches as DpdkPort does. Models LaunchPort.
class QueuePort : public ArrivingFrames {
 public:
  QueuePort(VectorPool& pool, LaunchClock& clock, double ppm, std::uint64_t seed, bool stamps = true)
      : device(ppm, seed),
        readings(seed),
        pool_(pool),
        clock_(clock),
        queue_(device, clock),
        launches_(stamps_, kField, stamps) {}
  ~QueuePort() {
    device.stuck = device.keeps_launch_times = false;
    flush();
    device.advance(HostTime::max());
    reap();
    for (std::size_t i = 0; i < waiting_; ++i) {
      pool_.free(held(i).frame);
    }
  }
  QueuePort(const QueuePort&) = delete;
  QueuePort& operator=(const QueuePort&) = delete;

  bool release(const Frame& frame, HostTime due = kNoDue) {
    if (waiting_ == tx_.size() && !send()) {
      return false;
    }
    mbufs_.push_back(std::make_unique<HeldMbuf>(HeldMbuf{.frame = frame, .due = due}));
    mbufs_.back()->mbuf.refcnt = 1;
    due_[waiting_] = due;
    tx_[waiting_++] = &mbufs_.back()->mbuf;
    ++released_;
    return true;
  }
  void flush() {
    if (waiting_ > 0) {
      send();
    }
    const HostTime now = clock_.now();
    device.advance(now);
    reap();
    readings.read(device.clock, now, [&](const StampLine& line) { stamps_.line.store(line); });
    launches_.look(queue_, now);
  }
  [[nodiscard]] Nanoseconds launch_lead() const { return launches_.lead(); }
  [[nodiscard]] std::uint64_t released() const { return released_; }
  [[nodiscard]] LaunchReport report() const { return stamps_.launch_report.load(); }
  [[nodiscard]] StampTotals totals() const { return stamps_.totals.load(); }
  [[nodiscard]] std::string problem() const { return launch_problem(stamps_, "", ""); }
  [[nodiscard]] std::uint64_t given() const { return queue_.given(); }
  void pass_ptp(bool on) { stamps_.ptp_passes = on; }

  LaunchDevice device;
  DeviceReadings readings;

 private:
  HeldMbuf& held(std::size_t i) { return *reinterpret_cast<HeldMbuf*>(tx_[i]); }
  bool send() {
    const std::uint16_t sent =
        launches_.send(queue_, std::span(tx_).first(waiting_), std::span(due_).first(waiting_), clock_.now());
    std::copy(tx_.begin() + sent, tx_.begin() + static_cast<std::ptrdiff_t>(waiting_), tx_.begin());
    std::copy(due_.begin() + sent, due_.begin() + static_cast<std::ptrdiff_t>(waiting_), due_.begin());
    waiting_ -= sent;
    return waiting_ < tx_.size();
  }
  void reap() {
    device.take_completions([this](const LaunchDevice::Descriptor& done) {
      queue_.latch(done.note.left);
      pool_.free(done.frame);
    });
  }

  VectorPool& pool_;
  LaunchClock& clock_;
  SimulatedQueue queue_;
  PortStamps stamps_;
  DpdkLaunches launches_;
  std::vector<std::unique_ptr<HeldMbuf>> mbufs_;
  std::array<rte_mbuf*, 64> tx_{};
  std::array<HostTime, 64> due_{};
  std::size_t waiting_ = 0;
  std::uint64_t released_ = 0;
};
static_assert(LaunchPort<QueuePort>);

using Path = LaunchPath<QueuePort>;
constexpr Nanoseconds kDpdkMargin{400};  // of the clocks

TEST(DpdkLaunches, ADriftingDeviceSendsToTheNanosecondAndNeverEarly) {
  for (const double ppm : {-100.0, -3.0, 100.0}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(testing::Message() << ppm << " ppm, seed " << seed);
      Path path(seed, ppm);
      expect_exact_departures(path, kDpdkMargin);
      const StampTotals totals = path.to().totals();
      EXPECT_GT(totals.count(), 1000U) << "a sample of the frames";
      EXPECT_EQ(totals.missing + totals.unusable + totals.early, 0U);
      EXPECT_LE(totals.requested, totals.count() + 1);
    }
  }
}

TEST(DpdkLaunches, ADeviceThatIsSlowToFetchGetsFramesEarlier) {
  Path path(5);
  expect_a_slow_device_gets_frames_earlier(path, kDpdkMargin);
}

TEST(DpdkLaunches, AFullRingDropsAndKeepsOrder) {
  Path path(6);
  expect_a_full_ring_drops(path);
}

TEST(DpdkLaunches, ADeviceThatIgnoresLaunchTimesIsFoundBeforeAnyFrameIsEarly) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Path path(seed);
    expect_an_ignoring_device_is_found(path);
  }
}

TEST(DpdkLaunches, ADeviceThatBeginsToSendEarlyIsFoundByTheNextSample) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Path path(seed);
    expect_an_early_device_is_found(path);
  }
}

// Until its ring is full each sample in turn is given up; the last one stays.
TEST(DpdkLaunches, ADeviceThatTakesNoMoreIsFound) {
  Path path(9);
  path.pass(kUntilUsed);
  path.look();
  path.device().stuck = true;
  path.run(150ms);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kMissing);
  EXPECT_GT(path.report().missing, 0U);
  EXPECT_GT(path.dropped(DropReason::kTxFull), 0U) << "its ring is full, and that is not silent";
  path.device().stuck = false;
  path.pass(20s);
  EXPECT_TRUE(path.report().used);
  EXPECT_EQ(path.look().early, 0U);
}

TEST(DpdkLaunches, ADeviceWhoseTimestampsDoNotComeIsNotReliedOn) {
  Path path(10);
  expect_no_reliance_without_timestamps(path);
}

TEST(DpdkLaunches, AResetLosesWhatTheDeviceHasAndNoMore) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Path path(seed);
    expect_resets_lose_no_more(path);
  }
}

// One that lets frames leave early shows by the sample, which is there before it can have left. A step by more than the
// lead shows at any time, one by less only before the launch time.
TEST(DpdkLaunches, AStepOfTheDevicesClockIsFoundAndLastsUntilItIsSteadyAgain) {
  for (const Nanoseconds step :
       {Nanoseconds{60us}, Nanoseconds{200us}, Nanoseconds{37s}, Nanoseconds{-200us}, Nanoseconds{-5ms}}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(testing::Message() << "by " << step.count() << " ns, seed " << seed);
      Path path(seed, 20);
      expect_a_step_is_found(path, step);
    }
  }
}

TEST(DpdkLaunches, NoFrameIsGivenEarlyWhilePtpPasses) {
  Path path(11);
  path.pass(kUntilUsed);
  EXPECT_TRUE(path.report().used);
  path.to().pass_ptp(true);
  path.run(1ms);
  path.look();
  path.run(1s);
  EXPECT_EQ(path.look().launched, 0U);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kNone);
  EXPECT_NE(path.to().problem().find("`ptp: transparent`"), std::string::npos);
  path.to().pass_ptp(false);
  path.pass(1s);
  EXPECT_TRUE(path.report().used);
  EXPECT_EQ(path.look().early, 0U);
}

// A burst fills the ring, the next one waits for room, and before it is due launch times rest.
TEST(DpdkLaunches, WhatWaitsForTheRingIsNotEarlyWhenLaunchTimesRest) {
  Path path(12);
  path.pass(kUntilUsed);
  for (Nanoseconds rest = 780us; rest < 980us; rest += 10us) {
    for (int i = 0; i < 300; ++i) {
      path.send(1);
    }
    path.run(85us, 1, 1us);
    for (int i = 0; i < 64; ++i) {
      path.send(1);
    }
    path.run(rest, 1, 1us);
    path.to().pass_ptp(true);
    path.run(5ms, 1, 1us);
    EXPECT_EQ(path.look().early, 0U) << rest.count() << " ns";
    path.to().pass_ptp(false);
    path.pass(100ms);
    EXPECT_TRUE(path.report().used);
  }
}

TEST(TrustedDevice, IsUsedWithoutATrialAndWithoutTimestamps) {
  for (const double ppm : {-100.0, 100.0}) {
    SCOPED_TRACE(testing::Message() << ppm << " ppm");
    Path path(1, ppm, false);
    path.pass(kUntilUsed);
    EXPECT_TRUE(path.report().used);
    path.look();
    path.run(2s, 1);
    const Path::Seen seen = path.look();
    EXPECT_EQ(seen.early, 0U);
    EXPECT_GT(seen.launched, seen.count * 99 / 100);
    EXPECT_EQ(path.report().lead, LaunchTimes::kFirstLead) << "nothing shows whether less is enough";
    EXPECT_EQ(path.to().totals().requested, 0U);
  }
}

// What the user has chosen to accept: no more than the lead, and nothing shows it.
TEST(TrustedDevice, ThatIgnoresLaunchTimesIsEarlyByTheLeadAtMost) {
  Path path(2, 0, false);
  path.device().keeps_launch_times = false;
  path.pass(kUntilUsed);
  path.run(100ms, 1);
  const Path::Seen seen = path.look();
  EXPECT_GT(seen.early, 0U);
  EXPECT_LE(seen.earliest, LaunchTimes::kFirstLead);
  EXPECT_TRUE(path.report().used);
}

TEST(TrustedDevice, IsNotUsedWhileItsClockIsSteppedOrCannotBeRead) {
  Path path(3, 0, false);
  path.pass(kUntilUsed + 50ms);
  EXPECT_TRUE(path.report().used);
  path.device().clock.step(37s);
  path.run(110ms);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kClock);
  path.pass(3s);
  EXPECT_TRUE(path.report().used);
  path.to().readings.readable = false;
  path.pass(1s);
  EXPECT_FALSE(path.report().used);
  path.look();
  path.run(1s);
  const Path::Seen seen = path.look();
  EXPECT_EQ(seen.early + seen.launched, 0U);
}

}  // namespace
}  // namespace hilgate::test

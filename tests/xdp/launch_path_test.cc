// SPDX-License-Identifier: Apache-2.0
// The packet path in front of a device that keeps launch times, in simulated time, from seeds: nothing leaves before it
// is due by the device's own truth, in order, and a device that does not keep them is not relied on.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "path/frame_path.h"
#include "tests/support/gateway_rig.h"
#include "tests/xdp/launch_device.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kSenders = 3;
constexpr std::uint32_t kReceiver = 3;
constexpr std::uint32_t kLaunchRobots = 4;
constexpr Nanoseconds kUntilUsed = 3s;  // its clock is measured, and it is tried

// Three robots send to a fourth, which is reached by the device.
class LaunchPath {
 public:
  explicit LaunchPath(std::uint64_t seed, double ppm = 0) : random_(seed) {
    for (std::uint32_t i = 0; i < kLaunchRobots; ++i) {
      ports_.push_back(std::make_unique<DevicePort>(pool_, clock, ppm, seed + i));
    }
    for (std::uint32_t sender = 0; sender < kSenders; ++sender) {
      LinkState& link = feed_.back().links[link_of(RobotSlot{sender}, RobotSlot{kReceiver}, kLaunchRobots).value()];
      link.delay = sender == 0 ? Nanoseconds{30us} : sender == 1 ? Nanoseconds{900us} : Nanoseconds{5ms};
    }
    feed_.publish();
    path_ = std::make_unique<FramePath<DevicePort, VectorPool>>(
        plain_settings(kLaunchRobots),
        std::vector<DevicePort*>{ports_[0].get(), ports_[1].get(), ports_[2].get(), ports_[3].get()}, pool_, feed_);
  }
  ~LaunchPath() {
    path_->drain();
    const PathTotals& totals = path_->totals();
    std::uint64_t dropped = 0;
    for (const std::uint64_t count : totals.dropped) {
      dropped += count;
    }
    EXPECT_EQ(totals.released + dropped, sent_) << "every frame ends as released or as one drop reason";
    EXPECT_EQ(totals.released, to().released());
    ports_.clear();
    EXPECT_EQ(pool_.leaked(), 0U);
  }
  LaunchPath(const LaunchPath&) = delete;
  LaunchPath& operator=(const LaunchPath&) = delete;

  DevicePort& to() { return *ports_[kReceiver]; }
  LaunchDevice& device() { return to().device; }
  [[nodiscard]] LaunchReport report() { return to().launches.report(); }

  /// Iterations of up to `step`, one in eight of them with an arrival, from senders `from` on.
  void run(Nanoseconds length, std::uint32_t from = 0, Nanoseconds step = 30us) {
    for (const HostTime end = clock.at() + length; clock.at() < end;) {
      clock.advance(Nanoseconds{static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(step.count()))});
      if (random_() % 8 == 0) {
        send(from + static_cast<std::uint32_t>(random_() % (kSenders - from)));
      }
      path_->iterate(clock);
    }
  }
  /// The same with a tenth of the iterations, to let time go by.
  void pass(Nanoseconds length) { run(length, 0, 300us); }
  void send(std::uint32_t sender) {
    ports_[sender]->arrive(*pool_.make(udp_frame(sender + 1, kReceiver + 1, 20), clock.at()));
    ++sent_;
  }
  [[nodiscard]] std::uint64_t dropped(DropReason reason) const {
    return path_->totals().dropped[static_cast<std::size_t>(reason)];
  }

  /// Of the departures since the last call: how many there were, with a launch time, early, and by how much at most.
  struct Seen {
    std::uint64_t count = 0;
    std::uint64_t launched = 0;
    std::uint64_t early = 0;
    Nanoseconds earliest{0};
    std::vector<Nanoseconds> errors;  // of those with a launch time and without, that could be in time
  };
  Seen look() {
    Seen seen;
    const auto& departures = device().departures;
    for (; looked_at_ < departures.size(); ++looked_at_) {
      const auto& departure = departures[looked_at_];
      EXPECT_EQ(departure.number, next_number_) << "out of order";
      next_number_ = departure.number + 1;
      const Nanoseconds error = departure.left - departure.due;
      ++seen.count;
      seen.launched += departure.launched ? 1 : 0;
      seen.early += error < 0ns ? 1 : 0;
      seen.earliest = std::max(seen.earliest, -error);
      seen.errors.push_back(error);
    }
    return seen;
  }
  /// Departures that a device has forgotten are not waited for.
  void expect_next_at(std::uint64_t number) { next_number_ = number; }

  LaunchClock clock;

 private:
  std::mt19937_64 random_;
  VectorPool pool_{4096};
  LinkTableFeed feed_{std::size_t{kLaunchRobots} * kLaunchRobots};
  std::vector<std::unique_ptr<DevicePort>> ports_;
  std::unique_ptr<FramePath<DevicePort, VectorPool>> path_;
  std::uint64_t sent_ = 0;
  std::size_t looked_at_ = 0;
  std::uint64_t next_number_ = 0;
};

Nanoseconds quantile_of(std::vector<Nanoseconds> errors, double q) {
  std::ranges::sort(errors);
  return errors.empty() ? 0ns : errors[static_cast<std::size_t>(q * static_cast<double>(errors.size() - 1))];
}

TEST(LaunchPath, ADriftingDeviceSendsToTheNanosecondAndNeverEarly) {
  for (const double ppm : {-100.0, -3.0, 0.0, 50.0, 100.0}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(testing::Message() << ppm << " ppm, seed " << seed);
      LaunchPath path(seed, ppm);
      path.pass(kUntilUsed);
      EXPECT_TRUE(path.report().used);
      EXPECT_EQ(path.look().early, 0U);
      path.run(2s, 1);
      const LaunchPath::Seen seen = path.look();
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
  LaunchPath path(1);
  path.to().measurable = false;
  path.run(1s);
  const LaunchPath::Seen seen = path.look();
  EXPECT_EQ(seen.launched, 0U);
  EXPECT_EQ(seen.early, 0U);
  EXPECT_GT(quantile_of(seen.errors, 0.5), 5us);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kClock);
}

TEST(LaunchPath, ADeviceThatIsSlowToFetchGetsFramesEarlier) {
  LaunchPath path(5);
  path.pass(kUntilUsed);
  path.device().fetch = 250us;
  path.run(3s, 1);
  EXPECT_GT(path.report().late, 0U);
  EXPECT_GT(path.report().lead, 250us);
  EXPECT_LE(path.report().lead, LaunchTimes::kMostLead);
  path.look();
  path.run(3s, 1);
  const LaunchPath::Seen seen = path.look();
  EXPECT_EQ(seen.early, 0U);
  EXPECT_LT(quantile_of(seen.errors, 0.5), 300ns);
  path.device().fetch = 10us;
  const Nanoseconds before = path.report().lead;
  path.pass(10s);
  EXPECT_LT(path.report().lead, before) << "it comes back slowly";
}

TEST(LaunchPath, AFullRingDropsAndKeepsOrder) {
  LaunchPath path(6);
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
    LaunchPath path(seed);
    path.device().keeps_launch_times = false;
    path.pass(15s);
    const LaunchPath::Seen seen = path.look();
    EXPECT_EQ(seen.early, 0U) << "seed " << seed;
    EXPECT_LE(seen.launched, 4U) << "a trial ends with the first frame, and the pauses grow";
    EXPECT_EQ(path.report().problem, LaunchProblem::kEarly);
    EXPECT_FALSE(path.report().used);
  }
}

TEST(LaunchPath, ADeviceThatBeginsToSendEarlyIsFoundByItsTimestamps) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    LaunchPath path(seed);
    path.pass(kUntilUsed);
    EXPECT_EQ(path.look().early, 0U);
    path.device().keeps_launch_times = false;
    path.run(50ms);
    const LaunchPath::Seen seen = path.look();
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
  LaunchPath path(9);
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
  LaunchPath path(10);
  path.device().stamps = false;
  path.pass(kUntilUsed);
  EXPECT_FALSE(path.report().used);
  EXPECT_EQ(path.report().problem, LaunchProblem::kMissing);
  EXPECT_EQ(path.look().early, 0U);
}

TEST(LaunchPath, AResetLosesWhatTheDeviceHasAndNoMore) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    LaunchPath path(seed);
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
    const LaunchPath::Seen seen = path.look();
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
      LaunchPath path(seed, 20);
      path.pass(kUntilUsed + 50ms);
      EXPECT_EQ(path.look().early, 0U);
      path.device().clock.step(step);
      path.run(110ms);
      const LaunchPath::Seen seen = path.look();
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

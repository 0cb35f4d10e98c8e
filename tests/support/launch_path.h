// SPDX-License-Identifier: Apache-2.0
// A device with launch time and a clock of its own, in simulated time, and a packet path that sends by it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "clock/hardware/clock_bridges.h"
#include "frame/departures/launch_times.h"
#include "frame/frame.h"
#include "path/frame_path.h"
#include "tests/support/gateway_rig.h"
#include "tests/support/vector_port.h"

namespace hilgate::test {

/// A clock that runs at a rate of its own, and may be stepped.
class DeviceClock {
 public:
  explicit DeviceClock(double ppm) : rate_(1 + ppm * 1e-6) {}
  [[nodiscard]] double at(HostTime host) const {
    return base_ + rate_ * static_cast<double>((host - HostTime{}).count());
  }
  /// When it shows `device` or more.
  [[nodiscard]] HostTime when(double device) const {
    auto host = HostTime{Nanoseconds{static_cast<std::int64_t>((device - base_) / rate_)}};
    while (at(host) < device) {
      host += Nanoseconds{1};
    }
    return host;
  }
  void step(Nanoseconds by) { base_ += static_cast<double>(by.count()); }

 private:
  double rate_;
  double base_ = 37e9;
};

/// Host time that goes on with each reading, so that a path can wait for an instant. Models HostClock.
class LaunchClock {
 public:
  HostTime now() { return now_ += Nanoseconds{20}; }
  HostTime host() { return now(); }
  [[nodiscard]] static HostTime host_at(HostTime path) { return path; }
  [[nodiscard]] static constexpr Nanoseconds patience() { return Nanoseconds{5'000}; }
  [[nodiscard]] HostTime at() const { return now_; }
  void advance(Nanoseconds by) { now_ += by; }

 private:
  HostTime now_{Nanoseconds{1'000'000'000}};
};

/// Sends in the order in which it is given frames, each at its launch time or later.
class LaunchDevice {
 public:
  static constexpr std::size_t kRing = 256;
  static constexpr Nanoseconds kWire{1'000};  // for a frame to be sent

  struct Descriptor {
    Frame frame;
    LaunchTimes::Completion note;
    bool launches = false;
    HostTime ready{};  // the device has read it
    std::uint64_t number = 0;
  };
  struct Departure {
    std::uint64_t number;
    HostTime due;
    HostTime left;
    bool launched;
  };

  LaunchDevice(double ppm, std::uint64_t seed) : clock(ppm), random_(seed) {}

  void give(Descriptor descriptor, HostTime now) {
    descriptor.ready = now + fetch + Nanoseconds{static_cast<std::int64_t>(random_() % 5'000)};
    ring_.push_back(descriptor);
  }
  /// What has left until `now` leaves.
  void advance(HostTime now) {
    while (!ring_.empty() && !stuck) {
      const Descriptor& first = ring_.front();
      HostTime left = std::max(first.ready, wire_free_);
      if (first.launches && keeps_launch_times) {
        left = std::max(left, clock.when(static_cast<double>(first.note.launch.time_since_epoch().count())));
      }
      if (left > now) {
        return;
      }
      wire_free_ = left + kWire;
      departures.push_back({first.number, first.note.due, left, first.launches});
      Descriptor done = first;
      if (done.note.asked && stamps) {
        done.note.left = DeviceLine::DeviceTime{Nanoseconds{static_cast<std::int64_t>(clock.at(left))}};
      }
      done_.push_back(done);
      ring_.pop_front();
    }
  }
  /// Everything it has is gone, and is given back without a timestamp.
  void reset() {
    for (Descriptor& descriptor : ring_) {
      ++lost;
      done_.push_back(descriptor);
    }
    ring_.clear();
  }
  template <class Each>
  void take_completions(Each each) {
    for (const Descriptor& done : done_) {
      each(done);
    }
    done_.clear();
  }
  [[nodiscard]] const std::deque<Descriptor>& ring() const { return ring_; }
  [[nodiscard]] std::size_t taken() const { return ring_.size() + done_.size(); }

  DeviceClock clock;
  Nanoseconds fetch{10'000};  // at least, from the ring to the wire
  bool keeps_launch_times = true;
  bool stamps = true;
  bool stuck = false;
  std::uint64_t lost = 0;
  std::vector<Departure> departures;

 private:
  std::deque<Descriptor> ring_;
  std::vector<Descriptor> done_;
  HostTime wire_free_{};
  std::mt19937_64 random_;
};

inline constexpr std::uint32_t kSenders = 3;
inline constexpr std::uint32_t kReceiver = 3;
inline constexpr std::uint32_t kLaunchRobots = 4;
inline constexpr Nanoseconds kUntilUsed{3'000'000'000};  // its clock is measured, and it is tried

/// Frames that wait to be captured.
class ArrivingFrames {
 public:
  void arrive(const Frame& frame) { arrivals_.push_back(frame); }
  std::size_t capture(std::span<Frame> burst) {
    const std::size_t count = std::min(burst.size(), arrivals_.size());
    std::copy_n(arrivals_.begin(), count, burst.begin());
    arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }

 private:
  std::deque<Frame> arrivals_;
};

/// Readings of a device's clock now and then, each off by less than kReadingError.
class DeviceReadings {
 public:
  static constexpr Nanoseconds kReadingError{41};
  static constexpr Nanoseconds kEvery{100'000'000};

  explicit DeviceReadings(std::uint64_t seed) : random_(seed) {}

  /// take(StampLine), when it is time again.
  template <class Take>
  void read(const DeviceClock& clock, HostTime now, Take take) {
    if (now < next_) {
      return;
    }
    next_ = now + kEvery;
    if (!readable) {
      return take(StampLine{});
    }
    const auto off = static_cast<std::int64_t>(random_() % 81) - 40;
    const DeviceLine::Reading reading{
        DeviceLine::DeviceTime{Nanoseconds{static_cast<std::int64_t>(clock.at(now)) + off}}, now};
    constexpr DeviceLine::Baseline kBaseline{.shortest = std::chrono::seconds{1}, .longest = std::chrono::seconds{1}};
    if (line_) {
      line_->add(reading);
    } else {
      line_.emplace(kBaseline, reading);
    }
    take(stamp_line(line_->line(), line_->drift(), kReadingError, Nanoseconds{0}));
  }

  bool readable = true;

 private:
  std::mt19937_64 random_;
  std::optional<DeviceLine> line_;
  HostTime next_{};
};

/// Three robots send to a fourth, which is reached by the device. `Port` has the device, `released()`, `given()` (of
/// these, to the device) and `report()`.
template <class Port>
class LaunchPath {
 public:
  template <class... Options>
  explicit LaunchPath(std::uint64_t seed, double ppm = 0, Options... options) : random_(seed) {
    for (std::uint32_t i = 0; i < kLaunchRobots; ++i) {
      ports_.push_back(std::make_unique<Port>(pool_, clock, ppm, seed + i, options...));
    }
    for (std::uint32_t sender = 0; sender < kSenders; ++sender) {
      LinkState& link = feed_.back().links[link_of(RobotSlot{sender}, RobotSlot{kReceiver}, kLaunchRobots).value()];
      link.delay = sender == 0 ? Nanoseconds{30'000} : Nanoseconds{sender == 1 ? 900'000 : 5'000'000};
    }
    feed_.publish();
    path_ = std::make_unique<FramePath<Port, VectorPool>>(
        plain_settings(kLaunchRobots),
        std::vector<Port*>{ports_[0].get(), ports_[1].get(), ports_[2].get(), ports_[3].get()}, pool_, feed_);
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

  Port& to() { return *ports_[kReceiver]; }
  LaunchDevice& device() { return to().device; }
  [[nodiscard]] LaunchReport report() { return to().report(); }

  /// Iterations of up to `step`, one in eight of them with an arrival, from senders `from` on.
  void run(Nanoseconds length, std::uint32_t from = 0, Nanoseconds step = Nanoseconds{30'000}) {
    for (const HostTime end = clock.at() + length; clock.at() < end;) {
      clock.advance(Nanoseconds{static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(step.count()))});
      if (random_() % 8 == 0) {
        send(from + static_cast<std::uint32_t>(random_() % (kSenders - from)));
      }
      path_->iterate(clock);
    }
  }
  /// The same with a tenth of the iterations, to let time go by.
  void pass(Nanoseconds length) { run(length, 0, Nanoseconds{300'000}); }
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
      seen.early += error < Nanoseconds{0} ? 1 : 0;
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
  std::vector<std::unique_ptr<Port>> ports_;
  std::unique_ptr<FramePath<Port, VectorPool>> path_;
  std::uint64_t sent_ = 0;
  std::size_t looked_at_ = 0;
  std::uint64_t next_number_ = 0;
};

inline Nanoseconds quantile_of(std::vector<Nanoseconds> errors, double q) {
  std::ranges::sort(errors);
  return errors.empty() ? Nanoseconds{0} : errors[static_cast<std::size_t>(q * static_cast<double>(errors.size() - 1))];
}

}  // namespace hilgate::test

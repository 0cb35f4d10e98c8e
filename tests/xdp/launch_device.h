// SPDX-License-Identifier: Apache-2.0
// A device with launch time and a clock of its own, in simulated time, and a port that uses it as xdp/xsk_session.h
// uses a NIC.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "clock/hardware/clock_bridges.h"
#include "frame/frame.h"
#include "tests/support/vector_port.h"
#include "xdp/launch_times.h"

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

/// Models LaunchPort.
class DevicePort {
 public:
  static constexpr Nanoseconds kLineMargin{50};
  static constexpr Nanoseconds kLineEvery{100'000'000};

  DevicePort(VectorPool& pool, LaunchClock& clock, double ppm, std::uint64_t seed)
      : device(ppm, seed), pool_(pool), clock_(clock), random_(seed) {}
  ~DevicePort() {
    device.stuck = device.keeps_launch_times = false;
    device.advance(HostTime::max());
    reap();
  }
  DevicePort(const DevicePort&) = delete;
  DevicePort& operator=(const DevicePort&) = delete;

  void arrive(const Frame& frame) { arrivals_.push_back(frame); }
  std::size_t capture(std::span<Frame> burst) {
    const std::size_t count = std::min(burst.size(), arrivals_.size());
    std::copy_n(arrivals_.begin(), count, burst.begin());
    arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
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
    if (now >= next_line_) {
      next_line_ = now + kLineEvery;
      measure(now);
    }
    launches.look(now);
  }
  [[nodiscard]] Nanoseconds launch_lead() const { return launches.lead(); }
  [[nodiscard]] std::uint64_t released() const { return released_; }

  LaunchDevice device;
  LaunchTimes launches;
  bool measurable = true;  // its clock

 private:
  // Off by less than the margin.
  void measure(HostTime now) {
    if (!measurable) {
      return launches.take_line({}, now);
    }
    const auto off = static_cast<std::int64_t>(random_() % 81) - 40;
    const DeviceLine::Reading reading{
        DeviceLine::DeviceTime{Nanoseconds{static_cast<std::int64_t>(device.clock.at(now)) + off}}, now};
    constexpr DeviceLine::Baseline kBaseline{.shortest = std::chrono::seconds{1}, .longest = std::chrono::seconds{1}};
    if (line_) {
      line_->add(reading);
    } else {
      line_.emplace(kBaseline, reading);
    }
    launches.take_line({.line = line_->line(), .margin = kLineMargin, .valid = true}, now);
  }
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
  std::deque<Frame> arrivals_;
  std::vector<LaunchDevice::Descriptor> noted_;  // released since the last flush()
  std::optional<DeviceLine> line_;
  HostTime next_line_{};
  std::uint64_t released_ = 0;
};
static_assert(LaunchPort<DevicePort>);

}  // namespace hilgate::test

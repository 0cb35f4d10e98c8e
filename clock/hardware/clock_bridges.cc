// SPDX-License-Identifier: Apache-2.0
#include "clock/hardware/clock_bridges.h"

#include <chrono>
#include <cstdlib>
#include <ctime>

namespace hilgate {

bool DeviceLine::add(const Reading& reading) {
  constexpr Nanoseconds kStep = std::chrono::milliseconds{1};
  const Nanoseconds miss = reading.host - line_.at(reading.device);
  const bool stepped = std::chrono::abs(miss) > kStep || reading.device <= base_.device;
  line_.from = reading.device;
  line_.to = reading.host;
  drift_ = stepped ? kUnknownDrift : std::chrono::abs(miss);
  if (stepped) {
    base_ = reading;
    return true;
  }
  const Nanoseconds passed = reading.host - base_.host;
  if (passed >= baseline_.shortest) {
    line_.rate = ClockRate::from(static_cast<double>(passed.count()) /
                                 static_cast<double>((reading.device - base_.device).count()));
  }
  if (passed >= baseline_.longest) {
    base_ = reading;
  }
  return false;
}

namespace {

std::int64_t read_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

struct Measured {
  std::int64_t offset_ns;
  std::int64_t width_ns;
};

// The narrowest of a few readings is the one least disturbed.
Measured measure(clockid_t clock) {
  Measured best{0, 0};
  for (int i = 0; i < 8; ++i) {
    const std::int64_t before = read_ns(CLOCK_MONOTONIC);
    const std::int64_t realtime = read_ns(clock);
    const std::int64_t width = read_ns(CLOCK_MONOTONIC) - before;
    if (i == 0 || width < best.width_ns) {
      best = {realtime - before - width / 2, width};
    }
  }
  return best;
}

}  // namespace

RealtimeBridge::RealtimeBridge(clockid_t clock) : clock_(clock) {
  const Measured first = measure(clock);
  offset_ns_ = first.offset_ns;
  width_ns_ = first.width_ns;
}

bool RealtimeBridge::refresh() {
  const Measured now = measure(clock_);
  // Two measurements of the same constant cannot differ by more than both of their errors; 1 us of grace covers the
  // rounding of the kernel's own conversions.
  const bool stepped = std::abs(now.offset_ns - offset_ns_) > now.width_ns + width_ns_ + 1000;
  if (stepped || now.width_ns < width_ns_) {
    offset_ns_ = now.offset_ns;
    width_ns_ = now.width_ns;
  }
  return stepped;
}

namespace {

constexpr DeviceLine::Baseline kPhcBaseline{.shortest = std::chrono::seconds{1}, .longest = std::chrono::seconds{1}};

DeviceLine::DeviceTime phc_time(std::int64_t phc_ns) {
  return DeviceLine::DeviceTime{Nanoseconds{phc_ns}};
}

}  // namespace

bool PhcBridge::add(const PhcReading& reading, const RealtimeBridge& realtime) {
  const DeviceLine::Reading now{phc_time(reading.phc_ns), realtime.host(reading.realtime_ns)};
  if (line_) {
    return line_->add(now);
  }
  line_.emplace(kPhcBaseline, now);
  return false;
}

std::optional<HostTime> PhcBridge::host(std::int64_t phc_ns) const {
  if (!line_) {
    return std::nullopt;
  }
  return line_->line().at(phc_time(phc_ns));
}

}  // namespace hilgate

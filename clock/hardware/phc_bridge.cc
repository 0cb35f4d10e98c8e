// SPDX-License-Identifier: Apache-2.0
#include "clock/hardware/phc_bridge.h"

#include <cstdlib>

namespace hilgate {

bool PhcBridge::add(const PhcReading& reading, const RealtimeBridge& realtime) {
  constexpr Nanoseconds kStep = std::chrono::milliseconds{1};
  constexpr Nanoseconds kBase = std::chrono::seconds{1};
  const Point now{PhcTime{Nanoseconds{reading.phc_ns}}, realtime.host(reading.realtime_ns)};
  if (!line_) {
    base_ = now;
    line_ = {now.phc, now.host, ClockRate{}};
    return false;
  }
  const Nanoseconds miss = now.host - line_->at(now.phc);
  if (std::chrono::abs(miss) > kStep) {
    base_ = now;
    line_ = {now.phc, now.host, ClockRate{}};
    return true;
  }
  ClockRate rate = line_->rate;
  if (now.phc - base_->phc >= kBase) {
    rate = ClockRate::from(static_cast<double>((now.host - base_->host).count()) /
                           static_cast<double>((now.phc - base_->phc).count()));
    base_ = now;
  }
  line_ = {now.phc, now.host, rate};
  return false;
}

std::optional<HostTime> PhcBridge::host(std::int64_t phc_ns) const {
  if (!line_) {
    return std::nullopt;
  }
  return line_->at(PhcTime{Nanoseconds{phc_ns}});
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "clock/hardware/phc_bridge.h"

#include <chrono>

namespace hilgate {
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

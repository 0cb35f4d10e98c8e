// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "clock/hardware/device_line.h"
#include "clock/hardware/phc_device.h"
#include "clock/hardware/realtime_bridge.h"
#include "clock/time.h"

namespace hilgate {

/// From stamps of a PHC to host time, by a line through readings a second or more apart. Control thread only.
class PhcBridge {
 public:
  /// Feeds one reading. True when the PHC was stepped, see DeviceLine::add().
  bool add(const PhcReading& reading, const RealtimeBridge& realtime);
  /// Nothing before the first reading.
  [[nodiscard]] std::optional<HostTime> host(std::int64_t phc_ns) const;

 private:
  std::optional<DeviceLine> line_;
};

}  // namespace hilgate

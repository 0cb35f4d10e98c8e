// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "clock/hardware/clock_bridges.h"
#include "clock/hardware/phc_device.h"
#include "clock/time.h"
#include "xdp/interface.h"
#include "xdp/release_stamps.h"

namespace hilgate {

/// The clock of a port's timestamps against host time. Where the kernel copies frames, it timestamps them itself by
/// CLOCK_TAI (xsk_destruct_skb, net/xdp/xsk.c); with zero-copy the NIC does, by its PTP hardware clock. Control thread.
class StampClock {
 public:
  /// Never throws: a NIC without a clock that can be read has a problem() and no line.
  StampClock(const Interface& interface, bool zero_copy);

  /// Compares the clocks again; every 100 ms is right. `host_error`: how far the packet loop's clock is from
  /// CLOCK_MONOTONIC.
  [[nodiscard]] StampLine refresh(Nanoseconds host_error);
  /// Why timestamps cannot be converted; empty when they can.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  RealtimeBridge tai_{CLOCK_TAI};
  RealtimeBridge realtime_;  // which a PHC is read against
  PhcBridge phc_bridge_;
  std::optional<PhcDevice> phc_;
  bool zero_copy_;
  std::string problem_;
};

}  // namespace hilgate

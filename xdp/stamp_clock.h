// SPDX-License-Identifier: Apache-2.0
// The clock of the timestamps that frames have as they arrive or leave, against host time.
#pragma once

#include <optional>
#include <string>

#include "clock/hardware/clock_bridges.h"
#include "clock/hardware/phc_device.h"
#include "clock/time.h"
#include "frame/departures/launch_times.h"
#include "xdp/interface.h"

namespace hilgate {

/// CLOCK_TAI, by which the kernel timestamps the frames that it copies (xsk_destruct_skb, net/xdp/xsk.c), or the PTP
/// hardware clock of a NIC. Control thread.
class StampClock {
 public:
  enum class Of : std::uint8_t { kKernel, kNic };

  /// Never throws: a NIC without a clock that can be read has a problem() and no line.
  StampClock(const Interface& interface, Of clock);

  /// Compares the clocks again; every 100 ms is right. `host_error`: how far the packet loop's clock is from
  /// CLOCK_MONOTONIC.
  [[nodiscard]] StampLine refresh(Nanoseconds host_error);
  /// Why timestamps cannot be converted; empty when they can.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// For people: CLOCK_TAI, or the path of the NIC's clock; empty with a problem.
  [[nodiscard]] std::string name() const;

 private:
  RealtimeBridge tai_{CLOCK_TAI};
  RealtimeBridge realtime_;  // which a PHC is read against
  PhcBridge phc_bridge_;
  std::optional<PhcDevice> phc_;
  Of clock_;
  std::string problem_;
};

}  // namespace hilgate

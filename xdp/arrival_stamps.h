// SPDX-License-Identifier: Apache-2.0
// When frames have arrived, by the timestamps that the driver gives the XDP program (struct hg_timed_meta in
// xdp/abi.h), as host time. What cannot be true is replaced by the arrival that the program has noted by the kernel's
// clock, so that a frame never arrives later than the program saw it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "clock/seqlock.h"
#include "clock/time.h"
#include "frame/counters.h"
#include "xdp/stamp_clock.h"

namespace hilgate {

/// What the packet loop and the control thread exchange about a port's arrivals. Outlives its sessions. Frames that the
/// XDP program has not noted are in none of the counters.
struct PortArrivals {
  Seqlock<StampLine> line;  // written by the control thread; the rest by the packet loop
  Counter by_device;        // frames: their arrival is the device's
  Counter missing;          // frames without a timestamp of the device
  Counter unusable;         // with one that is out of range, or that no line converts
  std::atomic<int> error;   // errno of the newest of `missing`; 0: the driver gave 0 for a time
};

/// Packet loop; one session's. Nothing allocates.
class ArrivalStamps {
 public:
  /// A frame is not longer than this on its way from the NIC to the program: NICs delay interrupts for less than 1 ms,
  /// and 4096 frames that wait in a ring take the program less than this. Beyond it the device's clock was stepped.
  static constexpr Nanoseconds kOldest{10'000'000};

  explicit ArrivalStamps(PortArrivals& port) : port_(port) {}

  /// Of a frame that the program saw at `seen`: `device_ns` as in struct hg_timed_meta. Within kOldest before `seen`.
  [[nodiscard]] HostTime arrival(std::int64_t device_ns, HostTime seen) noexcept;

 private:
  PortArrivals& port_;
  StampLine line_{};  // as of `line_version_`
  std::uint64_t line_version_ = 0;
};

/// Has the NIC timestamp every frame that arrives, and those that leave where that is requested, if it does not yet
/// (Documentation/networking/timestamping.rst). It continues to after the process has ended. Returns why it does not;
/// empty when it does. Control thread.
std::string timestamp_all_arrivals(const std::string& interface);

}  // namespace hilgate

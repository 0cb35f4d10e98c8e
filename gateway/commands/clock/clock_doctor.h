// SPDX-License-Identifier: Apache-2.0
// Is time on this host fit for a gateway? What is wrong with it, and what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clock/ptp/ptp_transport.h"
#include "clock/reference/reference_options.h"
#include "clock/servo/disciplined_clock.h"

namespace hilgate {

enum class ClockConcern : std::uint8_t { kNote, kWarning, kError };
std::string_view name(ClockConcern concern);

struct ClockFinding {
  ClockConcern concern = ClockConcern::kNote;
  std::string what;
  std::string advice;
};

/// A clock that announced itself while we listened.
struct HeardMaster {
  PortIdentity source;
  std::uint8_t domain = 0;
  PtpAnnounce announce;
};

/// What the findings are drawn from.
struct ClockFacts {
  ReferenceKind kind = ReferenceKind::kMonotonic;
  ClockStatus status{};
  std::uint64_t grandmaster_changes = 0;
  Nanoseconds ahead_of_system_tai{0};  // wall minus CLOCK_TAI
  int system_utc_offset_s = 0;         // the kernel's TAI - UTC; 0 when it is not set
  bool hardware_stamps = false;
  std::vector<HeardMaster> masters{};
};

/// Pure: the findings that the facts give, worst first.
std::vector<ClockFinding> findings(const ClockFacts& facts);

/// The facts from a clock that has run for a few seconds.
ClockFacts gather(const DisciplinedClock& clock, const ReferenceOptions& reference, HostTime now);

/// Listens to an interface for `time` and lists every clock that announces itself; each once. Throws as
/// open_ptp_transport does.
std::vector<HeardMaster> listen_for_masters(PtpTransportKind kind, const std::string& interface,
                                            std::chrono::milliseconds time);

}  // namespace hilgate

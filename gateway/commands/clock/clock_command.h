// SPDX-License-Identifier: Apache-2.0
// `hilgate clock status|watch|trace|doctor`: reads a reference as a gateway would, next to a running gateway or before
// there is one. It steers nothing but its own idea of time.
#pragma once

#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "clock/ptp/ptp_transport.h"
#include "clock/reference/reference_options.h"
#include "clock/servo/disciplined_clock.h"

namespace hilgate {

enum class ClockTask : std::uint8_t { kStatus, kWatch, kTrace, kDoctor };

struct ClockOptions {
  ClockTask task = ClockTask::kStatus;
  ReferenceOptions reference{};
  DisciplineOptions discipline{};
  std::chrono::milliseconds poll_every{50};
  // Measuring time: status and doctor take 3 s by default, watch and trace run until interrupted.
  std::optional<std::chrono::milliseconds> duration{};
  bool json = false;             // status and doctor
  std::string listen_interface;  // doctor: where to listen for masters; empty: nowhere
  PtpTransportKind listen_transport = PtpTransportKind::kUdp4;
};

/// Does the task, writing to `out`. 0: the clock tracks its reference (or has none by choice), doctor found no error;
/// 1 otherwise. Throws std::runtime_error for options that can never work. Returns early on SIGINT and SIGTERM.
int clock_command(const ClockOptions& options, std::ostream& out);
/// The same, to standard output.
int clock_command(const ClockOptions& options);

/// Draws the last values as columns of text, newest at the right, with the zero line in the middle and the scale at the
/// left. `width` in columns and `height` in lines, both above 0.
std::string plot(const std::deque<double>& values, std::size_t width, std::size_t height, const std::string& unit);

// Is time on this host fit for a gateway? What is wrong with it, and what to do.

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

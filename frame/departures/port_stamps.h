// SPDX-License-Identifier: Apache-2.0
// What is known of when a port's frames leave its device, and what its packet loop and the control thread exchange
// about it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clock/ptp/ptp_passage.h"
#include "clock/seqlock.h"
#include "clock/time.h"
#include "frame/departures/launch_times.h"
#include "frame/duration_histogram.h"

namespace hilgate {

/// Of one port since its start. A request ends as one of `errors`, `missing` and `unusable`.
struct StampTotals {
  std::uint64_t requested = 0;
  std::uint64_t missing = 0;   // completed without a timestamp, or never
  std::uint64_t unusable = 0;  // not between the frame's way to the device and back: the clock was stepped
  std::uint64_t early = 0;     // of `errors`: before the frame was due, by more than the line's margin
  Nanoseconds latest{0};       // largest error
  DurationHistogram errors{};  // left later than due by so much; what left early counts as 0

  [[nodiscard]] std::uint64_t count() const { return errors.total(); }
};

/// Outlives what the port sends by.
struct PortStamps {
  Seqlock<StampLine> line;      // written by the control thread
  Seqlock<StampTotals> totals;  // written by the packet loop
  StampTotals sums{};           // the packet loop's own, as is the next
  LaunchTimes launches;
  Seqlock<LaunchReport> launch_report;   // written by the packet loop
  std::atomic<bool> ptp_passes = false;  // by the control thread: `ptp: transparent`, which excludes launch time

  void set_ptp(PtpPassage ptp) { ptp_passes.store(ptp == PtpPassage::kTransparent, std::memory_order_relaxed); }
};

/// What timestamps the departure of frames.
enum class StampSource : std::uint8_t {
  kNone,
  kKernel,  // as it frees a frame that the driver has sent: later than the frame has left, never earlier
  kDriver,  // the NIC's clock
};
constexpr std::string_view name_of(StampSource source) {
  constexpr std::array<std::string_view, 3> kNames{"none", "kernel", "driver"};
  return kNames[static_cast<std::size_t>(source)];
}

/// The timestamps of a port, since it was made.
struct StampStatistics {
  StampSource source = StampSource::kNone;
  std::string problem{};  // why timestamps are absent; empty otherwise
  Nanoseconds margin{0};  // how far a timestamp may be from the packet loop's clock
  StampTotals totals{};
  LaunchReport launches{};
  std::string launch_problem{};     // why launch time is not used; empty where it is
  std::string launch_unmeasured{};  // why nothing shows whether the device keeps it; empty where it is measured
};

/// Why a device that offers launch time is not used for it: empty where it is. `clock_problem`: why its clock cannot be
/// read, or empty. `switch_on`: what its user may have missed, for the end of a sentence.
std::string launch_problem(const PortStamps& port, const std::string& clock_problem, const std::string& switch_on);

/// The packet loop's part of PortStamps: timestamps that come, and whether frames get launch times. Nothing allocates.
class StampBook {
 public:
  /// A timestamp may be so far outside the interval in which the frame was with the device: the clocks are known less
  /// exactly for a moment after the TSC's rate has changed.
  static constexpr Nanoseconds kTolerance{1'000'000};

  /// `launches`: the device may keep launch times. `port` outlives this object.
  StampBook(PortStamps& port, bool launches) : port_(port), launches_(launches) {}

  /// Whether frames can get a launch time now.
  [[nodiscard]] bool wants_launches() const { return launches_ && port_.launches.wants_frames(); }
  [[nodiscard]] Nanoseconds launch_lead() const { return launches_ ? port_.launches.lead() : Nanoseconds{0}; }
  [[nodiscard]] LaunchTimes& launches() { return port_.launches; }

  /// A timestamp was requested.
  void note_request() {
    ++port_.sums.requested;
    changed_ = true;
  }
  /// What became of a request: the frame, due at `due`, was given to the device at `given` and came back at `now`.
  void add(HostTime due, HostTime given, std::optional<LaunchTimes::DeviceTime> left, HostTime now);
  /// Where the device may keep launch times, in each iteration.
  void look(HostTime now);
  /// What has come reaches the control thread.
  void publish();
  /// Nothing of what the device has comes back any more.
  void abandon();

 private:
  void take_line(HostTime now);

  PortStamps& port_;
  const bool launches_;
  StampLine line_{};  // as of `line_version_`
  std::uint64_t line_version_ = 0;
  bool changed_ = false;          // since publish()
  LaunchReport launch_report_{};  // as published
};

}  // namespace hilgate

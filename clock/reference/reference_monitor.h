// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "clock/clock_events.h"
#include "clock/reference/reference_source.h"

namespace hilgate {

enum class ReferenceState : std::uint8_t {
  kFree,      // none is configured
  kWaiting,   // there has never been one
  kTracking,  // measurements arrive
  kHoldover,  // they did
};
constexpr std::string_view name(ReferenceState state) {
  constexpr std::array<std::string_view, 4> kNames = {"free", "waiting", "tracking", "holdover"};
  return kNames[static_cast<std::size_t>(state)];
}

struct MonitorOptions {
  Nanoseconds loss_after = std::chrono::seconds{3};  // silence for this long is loss; more than one Sync interval
  double drift_ppb = 1000;  // what the host's oscillator is allowed to drift in holdover: a stated budget
};

/// Watches the samples of a source and turns changes into events. Pure bookkeeping on injected time.
class ReferenceMonitor {
 public:
  ReferenceMonitor(const MonitorOptions& options, bool has_reference, ClockEvents& events);

  void update(HostTime now, const ReferenceReading& reading);

  [[nodiscard]] ReferenceState state() const { return state_; }
  /// How far the clock may have drifted since the last measurement, by the budget; 0 while tracking.
  [[nodiscard]] Nanoseconds drift_allowance(HostTime now) const;
  [[nodiscard]] std::optional<HostTime> last_sample() const { return last_sample_; }

 private:
  void note_sample(HostTime now, const ReferenceReading& reading);
  void note_silence(HostTime now, const ReferenceReading& reading);
  void note_grandmaster(HostTime now, const ReferenceReading& reading);
  void note_properties(HostTime now, const ReferenceReading& reading);
  void note_port_state(HostTime now, PtpPortState state);

  MonitorOptions options_;
  ClockEvents& events_;
  ReferenceState state_;
  std::optional<HostTime> last_sample_;
  std::optional<ClockIdentity> grandmaster_;
  std::optional<TimeProperties> properties_;
  PtpPortState port_state_ = PtpPortState::kUnknown;
};

}  // namespace hilgate

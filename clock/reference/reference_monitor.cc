// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/reference_monitor.h"

#include <fmt/core.h>

#include <stdexcept>

namespace hilgate {
namespace {

bool receives_no_time(PtpPortState state) {
  return state != PtpPortState::kUnknown && state != PtpPortState::kSlave && state != PtpPortState::kUncalibrated;
}

}  // namespace

ReferenceMonitor::ReferenceMonitor(const MonitorOptions& options, bool has_reference, ClockEvents& events)
    : options_(options), events_(events), state_(has_reference ? ReferenceState::kWaiting : ReferenceState::kFree) {
  if (options.loss_after <= Nanoseconds{0} || options.drift_ppb < 0) {
    throw std::runtime_error(
        fmt::format("clock: loss_after is {} ns and drift {} ppb; the first must be above 0, "
                    "the second at least 0",
                    options.loss_after.count(), options.drift_ppb));
  }
}

void ReferenceMonitor::update(HostTime now, const ReferenceReading& reading) {
  note_port_state(now, reading.port_state);
  note_properties(now, reading);
  if (state_ == ReferenceState::kFree) {
    return;
  }
  note_grandmaster(now, reading);
  if (reading.sample) {
    note_sample(now, reading);
  } else {
    note_silence(now, reading);
  }
}

void ReferenceMonitor::note_sample(HostTime now, const ReferenceReading& reading) {
  last_sample_ = reading.sample->host;
  if (state_ == ReferenceState::kTracking) {
    return;
  }
  const bool first = state_ == ReferenceState::kWaiting;
  state_ = ReferenceState::kTracking;
  const std::string who = reading.grandmaster ? " from " + to_string(*reading.grandmaster) : std::string{};
  events_.record(now, first ? ClockEventKind::kReferenceFound : ClockEventKind::kReferenceReturned,
                 "receiving time" + who);
}

void ReferenceMonitor::note_silence(HostTime now, const ReferenceReading& reading) {
  if (state_ != ReferenceState::kTracking) {
    return;
  }
  const bool told = receives_no_time(reading.port_state);
  if (!told && now - *last_sample_ < options_.loss_after) {
    return;
  }
  state_ = ReferenceState::kHoldover;
  const std::string why = !reading.problem.empty() ? reading.problem : std::string{"no measurements"};
  events_.record(now, ClockEventKind::kReferenceLost,
                 fmt::format("{}; holdover, drift at most {} ns per second", why, options_.drift_ppb));
}

void ReferenceMonitor::note_grandmaster(HostTime now, const ReferenceReading& reading) {
  if (!reading.grandmaster || reading.grandmaster == grandmaster_) {
    return;
  }
  if (grandmaster_) {
    events_.record(now, ClockEventKind::kGrandmasterChanged,
                   to_string(*grandmaster_) + " was replaced by " + to_string(*reading.grandmaster));
  }
  grandmaster_ = reading.grandmaster;
}

void ReferenceMonitor::note_properties(HostTime now, const ReferenceReading& reading) {
  if (!reading.properties) {
    return;
  }
  const TimeProperties& after = *reading.properties;
  const TimeProperties before = properties_.value_or(after);
  if (before.utc_offset_s != after.utc_offset_s) {
    events_.record(now, ClockEventKind::kUtcOffsetChanged,
                   fmt::format("TAI - UTC changed from {} s to {} s", before.utc_offset_s, after.utc_offset_s));
  }
  const bool had_leap = properties_ && (properties_->leap_59 || properties_->leap_61);
  if ((after.leap_59 || after.leap_61) && !had_leap) {
    events_.record(
        now, ClockEventKind::kLeapAnnounced,
        after.leap_61 ? "the last minute of this UTC day has 61 s" : "the last minute of this UTC day has 59 s");
  }
  properties_ = after;
}

void ReferenceMonitor::note_port_state(HostTime now, PtpPortState state) {
  if (state == PtpPortState::kUnknown || state == port_state_) {
    return;
  }
  events_.record(now, ClockEventKind::kPortState, fmt::format("{} to {}", name(port_state_), name(state)));
  port_state_ = state;
}

Nanoseconds ReferenceMonitor::drift_allowance(HostTime now) const {
  if (state_ != ReferenceState::kHoldover) {
    return Nanoseconds{0};
  }
  return Nanoseconds{
      static_cast<std::int64_t>(static_cast<double>((now - *last_sample_).count()) * options_.drift_ppb * 1e-9)};
}

}  // namespace hilgate

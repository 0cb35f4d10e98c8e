// SPDX-License-Identifier: Apache-2.0
// The clock and what it serves as the status document has them.
#pragma once

#include "gateway/status/model/status_table.h"

namespace hilgate {

struct RecentEventStatus {
  Nanoseconds ago{0};
  std::string_view event{};
  std::string text{};
};
template <>
struct StatusTable<RecentEventStatus> {
  using S = RecentEventStatus;
  static constexpr std::array rows = {status_row<&S::ago>("ago_s", "age of the event, s"),
                                      status_row<&S::event>("event", "kind of the event"),
                                      status_row<&S::text>("text", "description of the event")};
};

struct FollowStatus {
  std::string_view source{}, state{};
  double rate = 1;
  Nanoseconds offset{0};
  bool saturated = false;
  std::uint64_t heard = 0, holds = 0, jumps = 0, lags = 0, saturations = 0;
};
template <>
struct StatusTable<FollowStatus> {
  using S = FollowStatus;
  static constexpr std::array rows = {
      status_row<&S::source>("source", "whose clock pace follow keeps step with: steps, feed, socket, mavlink"),
      status_row<&S::state>("state", "waiting, following, holding"),
      status_row<&S::rate>("rate", "physics' time per wall time"),
      status_row<&S::offset>("offset_us", "physics' clock ahead of simulation time, us"),
      status_row<&S::saturated>("saturated", "whether physics is beyond the bounds of `follow:`"),
      status_row<&S::heard>("heard", "times that physics' clock was received"),
      status_row<&S::holds>("holds", "times that simulation time was held because physics' clock stood"),
      status_row<&S::jumps>("jumps", "jumps of physics' clock"),
      status_row<&S::lags>("lags", "times that simulation time was left behind because it could not follow"),
      status_row<&S::saturations>("saturations", "times that physics went beyond the bounds")};
};

/// A port on which hilgate is PTP grandmaster.
struct ServedPortStatus {
  std::string port{}, transport{};
  std::string_view time{};
  unsigned domain = 0;
  std::string identity{};
  std::string_view state{};
  std::string problem{};
  std::size_t slaves = 0, other_masters = 0;
  std::uint64_t announces = 0, syncs = 0, follow_ups = 0, delay_answers = 0, unsent = 0, missing_stamps = 0,
                malformed = 0, ignored = 0, limited = 0, foreign_announces = 0;
  NamedCounts events{};
  std::vector<RecentEventStatus> recent{};
  std::vector<std::string> warnings{};
};
template <>
struct StatusTable<ServedPortStatus> {
  using S = ServedPortStatus;
  static constexpr std::array rows = {
      status_row<&S::port>("port", "port"),
      status_row<&S::transport>("transport", "PTP transport"),
      status_row<&S::time>("time", "sim or wall"),
      status_row<&S::domain>("domain", "PTP domain"),
      status_row<&S::identity>("identity", "clock identity"),
      status_row<&S::state>("state", "master, passive, or waiting for the interface"),
      status_row<&S::problem>("problem", "why the port is not served; empty when it is"),
      status_row<&S::slaves>("slaves", "slaves that ask for delays"),
      status_row<&S::other_masters>("other_masters", "other masters on the port"),
      status_row<&S::announces>("announces", "Announce messages sent"),
      status_row<&S::syncs>("syncs", "Sync messages sent"),
      status_row<&S::follow_ups>("follow_ups", "Follow_Up messages sent"),
      status_row<&S::delay_answers>("delay_answers", "delay responses sent"),
      status_row<&S::unsent>("unsent", "messages that could not be sent"),
      status_row<&S::missing_stamps>("missing_stamps", "transmit timestamps that did not come"),
      status_row<&S::malformed>("malformed", "malformed messages received"),
      status_row<&S::ignored>("ignored", "messages ignored"),
      status_row<&S::limited>("limited", "delay requests above the rate limit"),
      status_row<&S::foreign_announces>("foreign_announces", "Announce messages of other masters"),
      status_row<&S::events>("events", "events by kind"),
      status_row<&S::recent>("recent", "most recent events"),
      status_row<&S::warnings>("warnings", "warnings")};
};

struct ClockReportStatus {
  std::string_view source{};
  std::string reading{};
  std::string_view state{};
  std::string problem{};
  OrNull<std::string> grandmaster{};
  std::string_view port_state{};
  PartsPerBillion rate{};
  Nanoseconds offset_last{0}, offset_rms{0}, offset_p99{0}, offset_max{0};
  std::uint64_t measurements = 0;
  OrNull<Nanoseconds> path_delay{};
  Nanoseconds drift_allowance{0};
  WallTime wall{};
  std::uint64_t malformed = 0;
  std::optional<std::int64_t> utc_offset{};  // s
  std::optional<bool> ptp_timescale{};
  std::optional<int> leap{};
  std::uint64_t steps = 0, losses = 0;
  Nanoseconds window_late_p99{0};
  double factor = 1;
  bool paused = false;
  SimTime sim{};
  std::optional<FollowStatus> follow{};
  Nanoseconds tsc_error{0};
  NamedCounts events{};
  std::vector<RecentEventStatus> recent{};
  std::vector<ServedPortStatus> serves{};
};
template <>
struct StatusTable<ClockReportStatus> {
  using S = ClockReportStatus;
  static constexpr std::array rows = {
      status_row<&S::source>("source", "source of the reference"),
      status_row<&S::reading>("reading", "how the reference is read"),
      status_row<&S::state>("state", "state of the reference"),
      status_row<&S::problem>("problem", "what is wrong with the reference; empty when nothing is"),
      status_row<&S::grandmaster>("grandmaster", "identity of the grandmaster"),
      status_row<&S::port_state>("port_state", "PTP port state"),
      status_row<&S::rate>("rate_ppb", "rate of the host's oscillator against the reference, ppb"),
      status_row<&S::offset_last>("offset_last_ns", "last offset, ns"),
      status_row<&S::offset_rms>("offset_rms_ns", "root mean square of the offset, ns"),
      status_row<&S::offset_p99>("offset_p99_ns", "offset, 99th percentile, ns"),
      status_row<&S::offset_max>("offset_max_ns", "largest offset, ns"),
      status_row<&S::measurements>("measurements", "measurements of the offset"),
      status_row<&S::path_delay>("path_delay_ns", "PTP path delay, ns"),
      status_row<&S::drift_allowance>("drift_allowance_ns", "largest drift since holdover began, ns"),
      status_row<&S::wall>("wall_ns", "wall time, ns"),
      status_row<&S::malformed>("malformed", "malformed messages ignored"),
      status_row<&S::utc_offset>("utc_offset_s", "TAI - UTC as served, s"),
      status_row<&S::ptp_timescale>("ptp_timescale", "whether the grandmaster serves TAI"),
      status_row<&S::leap>("leap", "seconds of the last minute of the UTC day"),
      status_row<&S::steps>("steps", "steps of the clock"),
      status_row<&S::losses>("losses", "times that the reference was lost"),
      status_row<&S::window_late_p99>("window_late_p99_ns", "lateness of window boundaries, 99th percentile, ns"),
      status_row<&S::factor>("factor", "simulation time per wall time"),
      status_row<&S::paused>("paused", "whether simulation time stands"),
      status_row<&S::sim>("sim_ns", "simulation time, ns"),
      status_row<&S::follow>("follow"),
      status_row<&S::tsc_error>("tsc_error_ns", "error of the TSC mapping, ns"),
      status_row<&S::events>("events", "events by kind"),
      status_row<&S::recent>("recent", "most recent events"),
      status_row<&S::serves>("serves", "ports on which hilgate is PTP grandmaster")};
};

}  // namespace hilgate

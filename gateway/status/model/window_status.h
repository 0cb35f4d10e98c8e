// SPDX-License-Identifier: Apache-2.0
// Windows, simulators and verdicts as the status document has them.
#pragma once

#include "gateway/status/model/status_table.h"

namespace hilgate {

struct LateStartsStatus {
  std::uint64_t processor = 0, own_work = 0;
};
template <>
struct StatusTable<LateStartsStatus> {
  using S = LateStartsStatus;
  static constexpr std::array rows = {
      status_row<&S::processor>("processor",
                                "windows that began more than 100 us late, as their thread had no "
                                "processor"),
      status_row<&S::own_work>("own_work", "the same, as the thread was still at work")};
};

struct SimulatorStatus {
  std::string_view name{};
  std::vector<std::string> sockets{};
  std::uint64_t windows = 0, late = 0;
  double late_share = 0;
  Nanoseconds late_last{0}, late_max{0}, late_p99{0};
  std::uint64_t missed = 0, skipped = 0;
  Nanoseconds round_trip_p50{0}, round_trip_p99{0};
};
template <>
struct StatusTable<SimulatorStatus> {
  using S = SimulatorStatus;
  static constexpr std::array rows = {
      status_row<&S::name>("name", "physics or netsim"),
      status_row<&S::sockets>("sockets",
                              "sockets to an external simulator or position feed, unix:PATH or tcp:HOST:PORT"),
      status_row<&S::windows>("windows", "windows ended"),
      status_row<&S::late>("late", "windows ended after the deadline"),
      status_row<&S::late_share>("late_share", "share of late windows, 0 to 1"),
      status_row<&S::late_last>("late_last_us", "lateness of the last late window, us"),
      status_row<&S::late_max>("late_max_us", "largest lateness, us"),
      status_row<&S::late_p99>("late_p99_us", "lateness, 99th percentile, us"),
      status_row<&S::missed>("missed", "windows whose end was missed"),
      status_row<&S::skipped>("skipped", "windows not asked of the simulator"),
      status_row<&S::round_trip_p50>("round_trip_p50_us", "time from BEGIN to END, median, us"),
      status_row<&S::round_trip_p99>("round_trip_p99_us", "time from BEGIN to END, 99th percentile, us")};
};

struct FeedSourceStatus {
  std::string robot{}, name{};
  std::uint64_t positions = 0, malformed = 0, future = 0, old = 0;
  std::optional<Nanoseconds> age{};
  std::optional<std::string> trouble{};
};
template <>
struct StatusTable<FeedSourceStatus> {
  using S = FeedSourceStatus;
  static constexpr std::array rows = {
      status_row<&S::robot>("robot", "name of the robot"),
      status_row<&S::name>("name", "topic, frame of tf2, entity, uid or callsign"),
      status_row<&S::positions>("positions", "poses taken"),
      status_row<&S::malformed>("malformed", "poses that were no numbers or outside of the world"),
      status_row<&S::future>("future", "poses stamped later than now"),
      status_row<&S::old>(
          "old", "poses stamped longer ago than `stale`, no longer valid, or stamped before one that was taken"),
      status_row<&S::age>("age_s", "time since the last pose that was taken, s; absent before the first"),
      status_row<&S::trouble>("trouble",
                              "why no poses come: another type, other QoS, no interface; absent without one")};
};

struct FeedStatus {
  std::uint64_t positions = 0, unknown = 0, malformed = 0;
  std::optional<NamedCounts> malformed_by{};
  std::optional<std::vector<FeedSourceStatus>> sources{};
};
template <>
struct StatusTable<FeedStatus> {
  using S = FeedStatus;
  static constexpr std::array rows = {
      status_row<&S::positions>("positions", "positions taken"),
      status_row<&S::unknown>("unknown", "positions of robots that are not there"),
      status_row<&S::malformed>("malformed", "messages that made no sense, and places outside of the world"),
      status_row<&S::malformed_by>(
          "malformed_by",
          "with physics `dis` and `cot`: these by reason, of dis `header`, `version`, `length`, "
          "`numbers`, of cot `xml`, `protobuf`, `event`, `times`, `numbers`, `swapped`, "
          "`length`"),
      status_row<&S::sources>("sources", "with physics `ros2`, `dis` and `cot`: where each robot's poses come from")};
};

struct WindowStatus {
  Nanoseconds length{0};
  std::string_view pace{};
  bool running = true;
  std::uint64_t number = 0;
  SimTime sim_time{};
  std::uint64_t published = 0, missed = 0;
  Nanoseconds last_lateness{0}, most_lateness{0}, last_compute{0}, most_compute{0}, boundary_p99{0};
  std::string_view scheduling{};
  LateStartsStatus late_starts{};
  std::vector<SimulatorStatus> simulators{};
  std::optional<FeedStatus> feed{};
  std::optional<std::string> last_event{};
};
template <>
struct StatusTable<WindowStatus> {
  using S = WindowStatus;
  static constexpr std::array rows = {
      status_row<&S::length>("length_us", "window length, us"),
      status_row<&S::pace>("pace", "pace of the run"),
      status_row<&S::running>("running", "false when the simulation has stopped"),
      status_row<&S::number>("number", "current window"),
      status_row<&S::sim_time>("sim_time_s", "simulation time, s"),
      status_row<&S::published>("published",
                                "windows with a link table: a new one, or the one before where nothing could change"),
      status_row<&S::missed>("missed", "windows without a link table of their own"),
      status_row<&S::last_lateness>("last_lateness_us", "lateness of the last link table, us"),
      status_row<&S::most_lateness>("most_lateness_us", "largest lateness of a link table, us"),
      status_row<&S::last_compute>("last_compute_us", "computing time of the last window, us"),
      status_row<&S::most_compute>("most_compute_us", "largest computing time of a window, us"),
      status_row<&S::boundary_p99>("boundary_p99_us", "lateness of window boundaries, 99th percentile, us"),
      status_row<&S::scheduling>("scheduling", "of the thread that begins windows: normal or realtime"),
      status_row<&S::late_starts>("late_starts"),
      status_row<&S::simulators>("simulators", "physics and network simulator"),
      status_row<&S::feed>("feed", "what a position feed brought, with physics of that kind"),
      status_row<&S::last_event>("last_event", "last event of the simulation")};
};

struct VerdictStatus {
  Nanoseconds causality_floor{0};
  std::uint64_t offered = 0, passed = 0, unknown = 0, bad_ber = 0, retries = 0, discarded = 0, forgotten = 0,
                expired = 0, late = 0;
  Nanoseconds late_max{0}, late_p99{0};
  std::uint64_t copies = 0, copies_refused = 0, released_late = 0;
  Nanoseconds released_late_p50{0}, released_late_p99{0}, released_late_max{0};
};
template <>
struct StatusTable<VerdictStatus> {
  using S = VerdictStatus;
  static constexpr std::array rows = {
      status_row<&S::causality_floor>("causality_floor_us", "shortest delay that a verdict can set exactly, us"),
      status_row<&S::offered>("offered", "packets given to the network simulator"),
      status_row<&S::passed>("passed", "verdicts applied"),
      status_row<&S::unknown>("unknown", "verdicts for packets that do not wait"),
      status_row<&S::bad_ber>("bad_ber", "verdicts with an invalid bit error rate"),
      status_row<&S::retries>("retries", "retries that the simulator reported"),
      status_row<&S::discarded>("discarded", "verdicts discarded as late"),
      status_row<&S::forgotten>("forgotten", "packets that the simulator forgot"),
      status_row<&S::expired>("expired", "packets that expired without a verdict"),
      status_row<&S::late>("late", "verdicts that came after their release time"),
      status_row<&S::late_max>("late_max_us", "largest lateness of a verdict, us"),
      status_row<&S::late_p99>("late_p99_us", "lateness of verdicts, 99th percentile, us"),
      status_row<&S::copies>("copies", "copies made for further receivers and duplicates"),
      status_row<&S::copies_refused>("copies_refused",
                                     "further verdicts for one receiver that would have made one copy too many"),
      status_row<&S::released_late>("released_late", "frames released after the time that the verdict asked for"),
      status_row<&S::released_late_p50>("released_late_p50_us", "lateness of these, median, us"),
      status_row<&S::released_late_p99>("released_late_p99_us", "lateness of these, 99th percentile, us"),
      status_row<&S::released_late_max>("released_late_max_us", "lateness of these, maximum, us")};
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// The packet path as the status document has it: totals, packet loops, ports and media.
#pragma once

#include "gateway/status/model/status_table.h"

namespace hilgate {

struct TotalsStatus {
  std::uint64_t in = 0, injected = 0, out = 0, dropped_total = 0;
  NamedCounts dropped{};
  std::uint64_t held = 0, held_most = 0;
  bool balanced = true;
  std::uint64_t lost_at_capture = 0, lost_at_sending = 0, lost_line_bytes = 0;
  std::uint64_t frames_captured = 0, bytes_captured = 0, bytes_released = 0;
  std::uint64_t damaged = 0, duplicated = 0, marked = 0, ecn_marked = 0, changes = 0;
  std::uint64_t ptp_passed = 0;
  Nanoseconds ptp_residence_p50{0}, ptp_residence_max{0};
};
template <>
struct StatusTable<TotalsStatus> {
  using S = TotalsStatus;
  static constexpr std::array rows = {
      status_row<&S::in>("in", "deliveries: one for each captured frame and receiver"),
      status_row<&S::injected>("injected", "frames that the gateway sent itself (RADIO_STATUS, feeds, ICMP)"),
      status_row<&S::out>("out", "deliveries released"),
      status_row<&S::dropped_total>("dropped_total", "deliveries dropped"),
      status_row<&S::dropped>("dropped", "deliveries dropped, by drop reason"),
      status_row<&S::held>("held", "deliveries held now"),
      status_row<&S::held_most>("held_most", "most deliveries held at once"),
      status_row<&S::balanced>("balanced", "true when in + injected = out + dropped + held"),
      status_row<&S::lost_at_capture>("lost_at_capture", "frames lost before the packet path saw them, of all ports"),
      status_row<&S::lost_at_sending>("lost_at_sending", "deliveries released and lost at the port, of all ports"),
      status_row<&S::lost_line_bytes>(
          "lost_line_bytes",
          "bytes lost at serial lines: the modem's buffer was full, or no program had the terminal open"),
      status_row<&S::frames_captured>("frames_captured", "frames captured"),
      status_row<&S::bytes_captured>("bytes_captured", "bytes captured"),
      status_row<&S::bytes_released>("bytes_released", "bytes released"),
      status_row<&S::damaged>("damaged", "deliveries released with bit errors"),
      status_row<&S::duplicated>("duplicated", "deliveries added by duplication"),
      status_row<&S::marked>("marked",
                             "deliveries with bit errors that were counted and not applied (policy mark_only)"),
      status_row<&S::ecn_marked>("ecn_marked",
                                 "deliveries marked Congestion Experienced by the queue of their link's rate"),
      status_row<&S::changes>("changes", "configuration changes applied"),
      status_row<&S::ptp_passed>("ptp_passed", "PTP messages passed transparently"),
      status_row<&S::ptp_residence_p50>("ptp_residence_p50_us", "residence time of these in the gateway, median, us"),
      status_row<&S::ptp_residence_max>("ptp_residence_max_us", "the same, maximum, us")};
};

struct LoopThreadStatus {
  std::string_view idle{};
  std::uint64_t sleeps = 0;
  Nanoseconds asleep{0}, wakes_early{0};
  std::string_view scheduling{};
  std::optional<unsigned> cpu{};
};
template <>
struct StatusTable<LoopThreadStatus> {
  using S = LoopThreadStatus;
  static constexpr std::array rows = {
      status_row<&S::idle>("idle", "sleep or poll"),
      status_row<&S::sleeps>("sleeps", "times that the loop slept"),
      status_row<&S::asleep>("asleep_s", "time asleep, s"),
      status_row<&S::wakes_early>("wakes_early_us", "margin by which the loop wakes before a release, us"),
      status_row<&S::scheduling>("scheduling", "normal, or realtime: before all programs without a real-time priority"),
      status_row<&S::cpu>("cpu", "processor that the loop is pinned to")};
};

struct LoopStatus {
  std::vector<LoopThreadStatus> threads{};
  std::uint64_t turns = 0;
  Nanoseconds longest_turn{0}, release_error_p50{0}, release_error_p99{0}, release_error_max{0};
  std::vector<std::pair<double, std::uint64_t>> release_lateness{};  // us, deliveries
};
template <>
struct StatusTable<LoopStatus> {
  using S = LoopStatus;
  static constexpr std::array rows = {
      status_row<&S::threads>("threads", "packet loops, one per core"),
      status_row<&S::turns>("turns", "iterations of the packet loop"),
      status_row<&S::longest_turn>("longest_turn_us", "longest iteration, us"),
      status_row<&S::release_error_p50>("release_error_p50_us",
                                        "release lateness, median, us (upper bound of its bucket)"),
      status_row<&S::release_error_p99>("release_error_p99_us", "release lateness, 99th percentile, us"),
      status_row<&S::release_error_max>("release_error_max_us", "release lateness, maximum, us"),
      status_row<&S::release_lateness>(
          "release_lateness", "releases by lateness: [upper bound in us, deliveries up to there]; the last has all")};
};

struct TimestampStatus {
  std::string source{}, problem{};
  std::uint64_t requested = 0, count = 0, missing = 0, unusable = 0, early = 0;
  Nanoseconds error_p50{0}, error_p99{0}, error_max{0}, margin{0};
  std::vector<std::pair<double, std::uint64_t>> errors{};  // us, frames
  std::optional<std::string> send_on_timestamp{};
};
template <>
struct StatusTable<TimestampStatus> {
  using S = TimestampStatus;
  static constexpr std::array rows = {
      status_row<&S::source>("source",
                             "what timestamps frames that leave: driver (the NIC's clock), kernel (as the driver frees "
                             "the frame), or none"),
      status_row<&S::problem>("problem", "why there are no timestamps; empty where there are"),
      status_row<&S::requested>("requested",
                                "frames whose timestamp was requested: one of 16 in each burst, one at least"),
      status_row<&S::count>("count", "frames that left with a timestamp; the errors are theirs"),
      status_row<&S::missing>("missing", "frames that were completed without a timestamp"),
      status_row<&S::unusable>(
          "unusable", "timestamps outside the time between release and completion, as after a step of the clock"),
      status_row<&S::early>("early", "frames that left before they were due, by more than the margin"),
      status_row<&S::error_p50>("error_p50_us", "left later than due, median, us (upper bound of its bucket)"),
      status_row<&S::error_p99>("error_p99_us", "left later than due, 99th percentile, us (likewise)"),
      status_row<&S::error_max>("error_max_us", "left later than due, maximum, us"),
      status_row<&S::margin>("margin_us", "how far a timestamp may be from the packet loop's clock, us"),
      status_row<&S::errors>("errors", "frames by error: [upper bound in us, frames up to there]; the last has all"),
      status_row<&S::send_on_timestamp>(
          "send_on_timestamp",
          "of a DPDK device, whether it has RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP: available or none")};
};

struct ArrivalTimestampStatus {
  std::string source{}, clock{}, problem{};
  std::uint64_t count = 0, missing = 0, unusable = 0;
  Nanoseconds margin{0};
};
template <>
struct StatusTable<ArrivalTimestampStatus> {
  using S = ArrivalTimestampStatus;
  static constexpr std::array rows = {
      status_row<&S::source>(
          "source",
          "what timestamps frames that arrive: driver (the NIC's clock), kernel (as the XDP program, "
          "or net_pcap, receives them), or loop (the packet loop, as it captures them)"),
      status_row<&S::clock>("clock", "whose clock that is"),
      status_row<&S::problem>("problem", "why it is not the driver; empty when it is"),
      status_row<&S::count>("count", "frames whose arrival is the device's timestamp"),
      status_row<&S::missing>(
          "missing", "frames without a timestamp of a device that should have one; the kernel or the loop timed them"),
      status_row<&S::unusable>(
          "unusable",
          "timestamps of the device that are later than the capture or too old, as after a step of "
          "its clock; the kernel or the loop timed these frames"),
      status_row<&S::margin>("margin_us", "how far a timestamp of the device may be from the packet loop's clock, us")};
};

struct LaunchTimeStatus {
  bool used = false;
  Nanoseconds lead{0};
  std::uint64_t late = 0, early = 0, missing = 0;
  std::string problem{}, unmeasured{};
};
template <>
struct StatusTable<LaunchTimeStatus> {
  using S = LaunchTimeStatus;
  static constexpr std::array rows = {
      status_row<&S::used>("used", "whether the device keeps the instants at which frames leave"),
      status_row<&S::lead>("lead_us", "how much before they are due the device gets frames, us"),
      status_row<&S::late>("late", "timestamped frames that left more than 5 us after their launch time"),
      status_row<&S::early>("early", "timestamped frames that left before they were due, by more than the margin"),
      status_row<&S::missing>("missing", "frames that the device did not complete in time, or without a timestamp"),
      status_row<&S::problem>("problem", "why it is not used; empty where it is"),
      status_row<&S::unmeasured>("unmeasured",
                                 "why nothing shows that the device keeps them, which `launch_time: on` accepts; empty "
                                 "where timestamps show it")};
};

struct PortStatus {
  std::string name{}, interface {
  }, state{}, problem{};
  std::uint32_t mtu = 0;
  std::string driver{}, mode{}, release_times{};
  ArrivalTimestampStatus arrival_timestamps{};
  TimestampStatus release_timestamps{};
  LaunchTimeStatus launch_time{};
  std::uint32_t largest_frame = 0;
  std::uint64_t lost_at_capture = 0, lost_at_sending = 0, lost_line_bytes = 0;
  std::optional<NamedCounts> counts{};
};
template <>
struct StatusTable<PortStatus> {
  using S = PortStatus;
  static constexpr std::array rows = {
      status_row<&S::name>("name", "name of the port"),
      status_row<&S::interface>("interface", "network interface, DPDK device, or path of a serial line's terminal"),
      status_row<&S::state>(
          "state",
          "up, no carrier (no program has its terminal open), down, absent, or refused: it cannot be a "
          "port"),
      status_row<&S::problem>("problem", "why the port is not up; empty when it is"),
      status_row<&S::mtu>("mtu", "MTU of the interface, bytes; 0 when unknown"),
      status_row<&S::driver>("driver", "af_xdp, dpdk, memif, vhost_user, pty or serial"),
      status_row<&S::mode>("mode", "mode of the port, for example native, copy"),
      status_row<&S::release_times>("release_times", "what times releases"),
      status_row<&S::arrival_timestamps>("arrival_timestamps", "when frames arrived"),
      status_row<&S::release_timestamps>("release_timestamps", "when frames left, against when they were due"),
      status_row<&S::launch_time>("launch_time", "launch time: frames are given to the device before they are due"),
      status_row<&S::largest_frame>("largest_frame", "largest frame, bytes"),
      status_row<&S::lost_at_capture>("lost_at_capture", "frames lost before the packet path saw them"),
      status_row<&S::lost_at_sending>("lost_at_sending", "deliveries released and lost at the port"),
      status_row<&S::lost_line_bytes>(
          "lost_line_bytes",
          "of a serial line, bytes lost: `bytes_overflow` and `bytes_closed` of its counts; 0 for other ports"),
      status_row<&S::counts>("counts",
                             "counters of the port and its driver, by name; of a serial line bytes, packets and "
                             "losses")};
};

struct UnknownSenderStatus {
  std::string port{}, mac{};
  std::uint64_t frames = 0;
};
template <>
struct StatusTable<UnknownSenderStatus> {
  using S = UnknownSenderStatus;
  static constexpr std::array rows = {
      status_row<&S::port>("port", "name of the port"),
      status_row<&S::mac>("mac", "source address of the last frame dropped there as unknown_sender"),
      status_row<&S::frames>("frames", "frames dropped there as unknown_sender")};
};

struct MediumStatus {
  std::string domain{}, access{};
  std::size_t stations = 0;
  std::vector<std::string> robots{};
  Nanoseconds busy{0};
  double utilisation = 0, utilisation_last_s = 0;
  std::uint64_t acks_lost = 0;
  std::optional<std::vector<std::string>> access_points{};
};
template <>
struct StatusTable<MediumStatus> {
  using S = MediumStatus;
  static constexpr std::array rows = {
      status_row<&S::domain>("domain", "name of the collision domain"),
      status_row<&S::access>("access", "medium access"),
      status_row<&S::stations>("stations", "number of stations"),
      status_row<&S::robots>("robots", "robots on the medium"),
      status_row<&S::busy>("busy_s", "airtime in use since the start, s"),
      status_row<&S::utilisation>("utilisation", "share of the time in use since the start, 0 to 1"),
      status_row<&S::utilisation_last_s>("utilisation_last_s", "share of the last second in use, 0 to 1"),
      status_row<&S::acks_lost>("acks_lost", "acknowledgements lost"),
      status_row<&S::access_points>("access_points", "access points on the medium")};
};

struct MeshPartStatus {
  std::vector<std::string> robots{};
};
template <>
struct StatusTable<MeshPartStatus> {
  using S = MeshPartStatus;
  static constexpr std::array rows = {status_row<&S::robots>("robots", "robots that reach one another")};
};

struct MeshStatus {
  std::string domain{};
  std::vector<MeshPartStatus> parts{};
};
template <>
struct StatusTable<MeshStatus> {
  using S = MeshStatus;
  static constexpr std::array rows = {
      status_row<&S::domain>("domain", "name of the mesh's medium"),
      status_row<&S::parts>("parts", "parts of the mesh between which there is no route; one: it is whole")};
};

struct MeshesStatus {
  std::vector<MeshStatus> meshes{};
  std::uint64_t route_changes = 0;
  SimTime routes_changed{};
};
template <>
struct StatusTable<MeshesStatus> {
  using S = MeshesStatus;
  static constexpr std::array rows = {
      status_row<&S::meshes>("meshes"),
      status_row<&S::route_changes>("route_changes", "windows in which the routes of a mesh became others"),
      status_row<&S::routes_changed>("routes_changed_s", "simulated time of the last of them, s")};
};

}  // namespace hilgate

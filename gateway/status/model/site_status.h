// SPDX-License-Identifier: Apache-2.0
// The other gateways of a site as the status document has them.
#pragma once

#include "gateway/status/model/status_table.h"

namespace hilgate {

struct SiteMediumStatus {
  std::string name{};
  OrNull<std::string> decided_at{};
  bool decided_here = false;
  std::vector<std::string> gateways{};
};
template <>
struct StatusTable<SiteMediumStatus> {
  using S = SiteMediumStatus;
  static constexpr std::array rows = {
      status_row<&S::name>("name",
                           "collision domain, or access points: all channels of their network; netsim: all that the "
                           "simulator decides"),
      status_row<&S::decided_at>("decided_at", "the gateway that decides its frames now; null: no simulator answers"),
      status_row<&S::decided_here>("decided_here", "whether that is this one"),
      status_row<&S::gateways>("gateways", "those that may decide it, in their order")};
};

struct SiteAirStatus {
  std::string_view decides{};
  OrNull<std::string> author{};
  std::vector<std::string> authors{};
  std::uint64_t lag_windows = 0, changes = 0, without_word = 0, late = 0, unsaid = 0, refused = 0;
};
template <>
struct StatusTable<SiteAirStatus> {
  using S = SiteAirStatus;
  static constexpr std::array rows = {
      status_row<&S::decides>("decides",
                              "links: its simulators say what links are like; frames: one of them decides each frame"),
      status_row<&S::author>("author",
                             "gateway whose simulator counts now; null: none answers. `site.air` is absent where each "
                             "gateway computes links by itself"),
      status_row<&S::authors>(
          "authors", "gateways whose simulators answer now, in the order of the file: the first is the author"),
      status_row<&S::lag_windows>("lag_windows",
                                  "from a simulator's message until it is in force at every gateway, windows"),
      status_row<&S::changes>("changes", "times that another gateway became author"),
      status_row<&S::without_word>("without_word",
                                   "windows that began without an update of the author for them, by its last one"),
      status_row<&S::late>("late", "updates that came after their windows had begun"),
      status_row<&S::unsaid>("unsaid", "updates of this gateway that hilgate-site did not take"),
      status_row<&S::refused>("refused", "texts of other gateways that are no link states of this run")};
};

struct SiteGatewayStatus {
  std::string name{}, address{};
  std::string_view state{};
  Nanoseconds silent{0};
  OrNull<Nanoseconds> clock_offset{};
  std::string version{}, digest{};
  std::uint64_t sent = 0, received = 0, late = 0;
  Nanoseconds request_way{0}, late_p99{0};
  std::uint64_t lost = 0;
  Nanoseconds way_p50{0}, way_p99{0};
  std::optional<bool> commands{};
  std::optional<Nanoseconds> heard{};
  std::optional<std::string> run{};
  std::optional<std::uint64_t> window{}, windows_missed{}, in{}, out{}, dropped{};
  std::optional<std::string> clock{};
  std::optional<std::uint64_t> changes{};
};
template <>
struct StatusTable<SiteGatewayStatus> {
  using S = SiteGatewayStatus;
  static constexpr std::array rows = {
      status_row<&S::name>("name", "another gateway"),
      status_row<&S::address>("address", "its address"),
      status_row<&S::state>("state",
                            "here; awaited, beginning, missing, other_key, other_configuration, other_version, "
                            "clock_apart or other_zero: its robots are unreachable"),
      status_row<&S::silent>("silent_s", "since its last packet, s"),
      status_row<&S::clock_offset>("clock_offset_us",
                                   "its clock minus this one's, us; null as long as that is not known"),
      status_row<&S::version>("version", "version of its program"),
      status_row<&S::digest>("digest", "its site.digest"),
      status_row<&S::sent>("sent", "deliveries sent to it"),
      status_row<&S::received>("received", "deliveries that came from it"),
      status_row<&S::late>("late", "of these: came after their release time, and were released at once"),
      status_row<&S::request_way>("request_way_us", "its site.request_way_p99_us"),
      status_row<&S::late_p99>("late_p99_us", "by how much, 99th percentile, us"),
      status_row<&S::lost>("lost", "packets that it sent and that have not come"),
      status_row<&S::way_p50>("way_p50_us", "from there to here by both clocks, 50th percentile, us"),
      status_row<&S::way_p99>("way_p99_us", "99th percentile, us"),
      status_row<&S::commands>("commands", "whether it is received by DDS; `set` and `reload` need all"),
      status_row<&S::heard>("heard_s", "since it last sent the following by DDS, s; all absent before"),
      status_row<&S::run>("run", "its run"),
      status_row<&S::window>("window", "its window"),
      status_row<&S::windows_missed>("windows_missed", "windows that it has missed"),
      status_row<&S::in>("in", "its deliveries, of frames that it has captured"),
      status_row<&S::out>("out", "released by it"),
      status_row<&S::dropped>("dropped", "dropped by it"),
      status_row<&S::clock>("clock", "its clock's state"),
      status_row<&S::changes>("changes", "its site.changes")};
};

struct SiteStatus {
  std::string name{}, gateway{}, version{}, digest{};
  Nanoseconds causality_floor{0};
  std::uint64_t sent = 0, received = 0, requests_sent = 0, requests_taken = 0;
  Nanoseconds request_way_p50{0}, request_way_p99{0};
  std::vector<SiteMediumStatus> media{};
  NamedCounts refused{};
  std::vector<SiteGatewayStatus> gateways{};
  std::uint64_t changes = 0, began_anew = 0;
  std::optional<SiteAirStatus> air{};
};
template <>
struct StatusTable<SiteStatus> {
  using S = SiteStatus;
  static constexpr std::array rows = {
      status_row<&S::name>("name", "name of the site; `site` is absent where the gateway is alone"),
      status_row<&S::gateway>("gateway", "which of its gateways this is"),
      status_row<&S::version>("version", "version of this gateway's program"),
      status_row<&S::digest>("digest",
                             "number of the files that the run is made of and of what was set, which all gateways "
                             "must have alike"),
      status_row<&S::causality_floor>(
          "causality_floor_us", "delay from which on 99 % of the frames of other gateways are released in time, us"),
      status_row<&S::sent>("sent", "deliveries sent to other gateways, which hold and release them"),
      status_row<&S::received>("received", "deliveries that came from other gateways"),
      status_row<&S::requests_sent>("requests_sent",
                                    "frames sent to the gateways that decide their media, and counted there"),
      status_row<&S::requests_taken>("requests_taken", "frames that came from other gateways to be decided here"),
      status_row<&S::request_way_p50>("request_way_p50_us",
                                      "from their capture until they came, by both clocks, 50th percentile, us"),
      status_row<&S::request_way_p99>("request_way_p99_us", "99th percentile, us"),
      status_row<&S::media>(
          "media", "media that have stations at several gateways, or a network simulator that decides each frame"),
      status_row<&S::refused>("refused",
                              "packets to the tunnel's port that were not taken, by cause (docs/how-to/site.md)"),
      status_row<&S::gateways>("gateways"),
      status_row<&S::changes>("changes", "changes that all gateways have made together"),
      status_row<&S::began_anew>("began_anew",
                                 "times that this gateway has begun its simulation anew, as that of the other "
                                 "gateways"),
      status_row<&S::air>("air")};
};

}  // namespace hilgate

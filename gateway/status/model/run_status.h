// SPDX-License-Identifier: Apache-2.0
// The status of a run: `hilgate status --json`, the page, metrics and records are this document.
#pragma once

#include "gateway/status/model/clock_status.h"
#include "gateway/status/model/link_status.h"
#include "gateway/status/model/path_status.h"
#include "gateway/status/model/peer_status.h"
#include "gateway/status/model/record_status.h"
#include "gateway/status/model/scenario_status.h"
#include "gateway/status/model/site_status.h"
#include "gateway/status/model/status_table.h"
#include "gateway/status/model/window_status.h"

namespace hilgate {

struct ConditionStatus {
  std::string name{};
  std::string_view severity{};
  std::string about{}, text{};
  Nanoseconds since{0};
};
template <>
struct StatusTable<ConditionStatus> {
  using S = ConditionStatus;
  static constexpr std::array rows = {
      status_row<&S::name>("name", "kind of the condition"),
      status_row<&S::severity>("severity",
                               "error: something that was asked for does not work; warning: results differ from "
                               "the configuration; note: as the configuration has it. The gravest are first"),
      status_row<&S::about>("about", "robot, port or simulator that it is about; empty for the run as a whole"),
      status_row<&S::text>("text", "the same for people, one line"),
      status_row<&S::since>("since_s", "how long it stands, s")};
};

struct FindingStatus {
  std::string_view grade{};
  std::string text{};
  std::optional<std::size_t> condition{};
};
template <>
struct StatusTable<FindingStatus> {
  using S = FindingStatus;
  static constexpr std::array rows = {
      status_row<&S::grade>("grade", "bad, doubtful or note"),
      status_row<&S::text>("text", "the finding for people, one line"),
      status_row<&S::condition>("condition",
                                "its index in `conditions`, from 0; absent when the reason is not a condition")};
};

struct RobotStatus {
  std::string name{}, port{};
  bool unplugged = false;
  std::optional<std::string> body{};
  std::optional<std::string> gateway{};
  std::optional<unsigned> vlan{};
  std::optional<Vec3> position{};
};
template <>
struct StatusTable<RobotStatus> {
  using S = RobotStatus;
  static constexpr std::array rows = {
      status_row<&S::name>("name", "name of the robot; of one with `radios`, an entry for each: ROBOT.RADIO"),
      status_row<&S::port>("port", "its port"),
      status_row<&S::unplugged>("unplugged", "whether its port is not up: frames to it are dropped as unplugged"),
      status_row<&S::body>("body",
                           "robot that carries this radio, with one position for all of its radios and no links "
                           "between them; absent for a robot without `radios`"),
      status_row<&S::gateway>("gateway", "of a site: the gateway that has its port; absent without a site"),
      status_row<&S::vlan>("vlan", "its VLAN on that port, 1 to 4094; absent where the port has none"),
      status_row<&S::position>("position", "x, y, z in the newest scene, m")};
};

struct StationStatus {
  std::string robot{};
  std::string_view state{};
  std::optional<std::string> access_point{};
  std::optional<Dbm> rssi{};
  std::optional<Decibels> snr{};
  std::optional<BitsPerSecond> rate{};
  std::uint64_t handovers = 0;
  Nanoseconds without{0}, without_longest{0};
};
template <>
struct StatusTable<StationStatus> {
  using S = StationStatus;
  static constexpr std::array rows = {
      status_row<&S::robot>("robot", "robot that is a station"),
      status_row<&S::state>("state", "associated, roaming or none"),
      status_row<&S::access_point>("access_point", "its access point"),
      status_row<&S::rssi>("rssi_dbm", "power received from the access point, dBm"),
      status_row<&S::snr>("snr_db", "signal-to-noise ratio, dB"),
      status_row<&S::rate>("rate_mbps", "PHY rate, Mbit/s"),
      status_row<&S::handovers>("handovers", "handovers since the start"),
      status_row<&S::without>("without_s", "time without association, s"),
      status_row<&S::without_longest>("without_longest_s", "longest time without association, s")};
};

struct AccessPointStatus {
  std::string name{}, radio{};
  std::string channel{};
  std::optional<std::string> robot{};
  std::optional<Vec3> position{};
};
template <>
struct StatusTable<AccessPointStatus> {
  using S = AccessPointStatus;
  static constexpr std::array rows = {status_row<&S::name>("name", "name of the access point"),
                                      status_row<&S::radio>("radio", "its radio profile"),
                                      status_row<&S::channel>("channel", "its channel"),
                                      status_row<&S::robot>("robot", "the robot that is the access point"),
                                      status_row<&S::position>("position", "x, y, z of a fixed access point, m")};
};

struct MapStatus {
  std::string file{};
  std::uint64_t pairs_outside = 0;
};
template <>
struct StatusTable<MapStatus> {
  using S = MapStatus;
  static constexpr std::array rows = {
      status_row<&S::file>("file", "floor plan of the run"),
      status_row<&S::pairs_outside>("pairs_outside", "pairs of robots outside the map, counted per window")};
};

struct AntennasStatus {
  std::vector<std::string> unoriented{};
};
template <>
struct StatusTable<AntennasStatus> {
  using S = AntennasStatus;
  static constexpr std::array rows = {status_row<&S::unoriented>(
      "unoriented", "robots whose antenna counts as isotropic, because their orientation is unknown")};
};

struct FlowStatus {
  std::vector<std::string> from{}, to{};
  std::string filter{};
  std::uint64_t matched = 0;
};
template <>
struct StatusTable<FlowStatus> {
  using S = FlowStatus;
  static constexpr std::array rows = {
      status_row<&S::from>("from", "sending robots of the rule, or *"),
      status_row<&S::to>("to", "receiving robots of the rule, or *"),
      status_row<&S::filter>("filter", "which frames match it, as pcap-filter(7)"),
      status_row<&S::matched>("matched", "deliveries to which it applied: those that no earlier rule matched")};
};

struct RunStatus {
  std::string run{}, configuration{};
  std::uint64_t seed = 0;
  Nanoseconds uptime{0};
  std::uint64_t memory_bytes = 0, kernel_memory_bytes = 0;
  std::vector<FindingStatus> findings{};
  std::vector<ConditionStatus> conditions{};
  std::vector<std::string> assignments{};
  ClockReportStatus clock{};
  WindowStatus window{};
  TotalsStatus totals{};
  LoopStatus loop{};
  std::vector<std::string> impairment_order{};
  std::vector<PortStatus> ports{};
  std::vector<UnknownSenderStatus> unknown_senders{};
  std::vector<RobotStatus> robots{};
  std::vector<MediumStatus> media{};
  std::vector<LinkStatus> links{};
  std::optional<std::uint64_t> links_left_out{};
  std::optional<std::vector<FlowStatus>> flows{};
  std::optional<std::vector<FarPairsStatus>> far_pairs{};
  std::optional<MapStatus> map{};
  std::optional<AntennasStatus> antennas{};
  std::optional<SiteStatus> site{};
  std::optional<VerdictStatus> verdicts{};
  std::optional<std::vector<AccessPointStatus>> access_points{};
  std::optional<std::vector<StationStatus>> stations{};
  std::optional<MeshesStatus> mesh{};
  std::optional<CaptureStatus> capture{};
  std::optional<RecorderStatus> record{};
  std::optional<ScenarioStatus> scenario{};
  std::optional<MavlinkStatus> mavlink{};
  std::optional<DdsStatus> dds{};
  std::optional<std::vector<GnssFeedStatus>> gnss{};
  std::optional<CotStatus> cot{};
  std::optional<DisOutputStatus> dis{};
  std::optional<FoxgloveStatus> foxglove{};
  std::optional<std::vector<DlepStatus>> dlep{};
};
template <>
struct StatusTable<RunStatus> {
  using S = RunStatus;
  static constexpr std::array rows = {
      status_row<&S::run>("run", "name of the run"),
      status_row<&S::configuration>("configuration", "path of the configuration file"),
      status_row<&S::seed>("seed", "seed of the run"),
      status_row<&S::uptime>("uptime_s", "time since the start, s"),
      status_row<&S::memory_bytes>("memory_bytes", "memory for frames and the hold, bytes"),
      status_row<&S::kernel_memory_bytes>("kernel_memory_bytes",
                                          "what the kernel keeps for the ports' sockets beside that, about, bytes"),
      status_row<&S::findings>("findings",
                               "what is not well, the worst first: conditions, and links that lose frames; empty: all "
                               "is well. Of runs of more than 64 robots all links together"),
      status_row<&S::conditions>("conditions",
                                 "what is wrong with the run, or differs from its configuration; "
                                 "docs/reference/conditions.md has all of them"),
      status_row<&S::assignments>("assignments",
                                  "values that `hilgate set` has changed since the configuration was loaded"),
      status_row<&S::clock>("clock"),
      status_row<&S::window>("window"),
      status_row<&S::totals>("totals"),
      status_row<&S::loop>("loop"),
      status_row<&S::impairment_order>("impairment_order",
                                       "impairments of a link in the order in which a frame passes them"),
      status_row<&S::ports>("ports"),
      status_row<&S::unknown_senders>(
          "unknown_senders", "ports on which others than robots send, since the configuration was last changed"),
      status_row<&S::robots>("robots"),
      status_row<&S::media>("media"),
      status_row<&S::links>("links",
                            "of more than 64 robots those in range or with deliveries only, and of these the 4096 "
                            "that released most, then the strongest; all of a robot that is asked for"),
      status_row<&S::links_left_out>("links_left_out", "number of links that are not in `links`; absent: none"),
      status_row<&S::flows>("flows", "items of `links` with a `filter`, in their order; absent: there are none"),
      status_row<&S::far_pairs>("far_pairs",
                                "media of 128 radios and more: pairs that are too far apart to receive one another"),
      status_row<&S::map>("map"),
      status_row<&S::antennas>("antennas"),
      status_row<&S::site>("site"),
      status_row<&S::verdicts>("verdicts"),
      status_row<&S::access_points>("access_points"),
      status_row<&S::stations>("stations"),
      status_row<&S::mesh>("mesh"),
      status_row<&S::capture>("capture"),
      status_row<&S::record>("record"),
      status_row<&S::scenario>("scenario"),
      status_row<&S::mavlink>("mavlink"),
      status_row<&S::dds>("dds"),
      status_row<&S::gnss>("gnss", "robots that are sent their positions; absent without any"),
      status_row<&S::cot>("cot"),
      status_row<&S::dis>("dis"),
      status_row<&S::foxglove>("foxglove"),
      status_row<&S::dlep>("dlep", "robots whose routers learn links by DLEP; absent without any")};
};

/// Keys are part of the interface that scripts rely on; new ones may come, none changes its meaning.
StatusJson to_json(const RunStatus& status);
StatusJson to_json(const TotalsStatus& totals);
StatusJson to_json(const ClockReportStatus& clock);

/// Every key of the document with its meaning, in its order.
std::vector<StatusField> status_fields();

}  // namespace hilgate

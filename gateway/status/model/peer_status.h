// SPDX-License-Identifier: Apache-2.0
// Robots' own protocols as the status document has them, MAVLink, DDS and DLEP, what positions are sent as, and
// Foxglove.
#pragma once

#include "gateway/status/model/status_table.h"

namespace hilgate {

struct DdsParticipantStatus {
  std::string robot{};
  unsigned domain = 0;
  std::string vendor{}, name{}, process{}, host{};
  std::uint64_t announcements = 0;
  double here_s = 0, silent_s = 0;
};
template <>
struct StatusTable<DdsParticipantStatus> {
  using S = DdsParticipantStatus;
  static constexpr std::array rows = {
      status_row<&S::robot>("robot", "robot that announces it"),
      status_row<&S::domain>("domain", "domain"),
      status_row<&S::vendor>("vendor", "whose DDS it is"),
      status_row<&S::name>("name", "what it calls itself; may be empty, as `process` and `host`"),
      status_row<&S::process>("process", "program, where the DDS announces it"),
      status_row<&S::host>("host", "host, where the DDS announces it"),
      status_row<&S::announcements>("announcements", "announcements received"),
      status_row<&S::here_s>("here_s", "time since the first, s"),
      status_row<&S::silent_s>("silent_s", "time since the last, s")};
};

struct DdsStatus {
  std::vector<DdsParticipantStatus> participants{};
  std::uint64_t left = 0, silent = 0, refused = 0, unread = 0, missed = 0;
};
template <>
struct StatusTable<DdsStatus> {
  using S = DdsStatus;
  static constexpr std::array rows = {
      status_row<&S::participants>("participants",
                                   "participants of DDS that robots announce, and so processes of ROS 2"),
      status_row<&S::left>("left", "participants that said farewell"),
      status_row<&S::silent>("silent", "participants that fell silent for longer than they promise"),
      status_row<&S::refused>("refused", "announcements of more than 1024 participants"),
      status_row<&S::unread>("unread", "datagrams on the announcements' port that are none"),
      status_row<&S::missed>("missed", "frames that the gateway itself did not read, because the tap ring was full")};
};

struct TimeSyncStatus {
  std::uint64_t requests = 0, answers = 0;
  std::optional<Nanoseconds> last{}, least{}, most{};
};
template <>
struct StatusTable<TimeSyncStatus> {
  using S = TimeSyncStatus;
  static constexpr std::array rows = {status_row<&S::requests>("requests", "requests seen"),
                                      status_row<&S::answers>("answers", "answers seen"),
                                      status_row<&S::last>("last_ms", "last round trip, ms"),
                                      status_row<&S::least>("least_ms", "shortest round trip, ms"),
                                      status_row<&S::most>("most_ms", "longest round trip, ms")};
};

struct MavlinkSystemStatus {
  unsigned system = 0;
  std::vector<std::string> robots{};
  std::vector<unsigned> components{};
  unsigned version = 0;
  std::uint64_t frames = 0, lost = 0, behind = 0, wrong_crc = 0, is_signed = 0, from_other_robots = 0;
  std::optional<Nanoseconds> silent{};
  std::optional<unsigned> type{}, autopilot{};
  std::optional<TimeSyncStatus> timesync{};
};
template <>
struct StatusTable<MavlinkSystemStatus> {
  using S = MavlinkSystemStatus;
  static constexpr std::array rows = {
      status_row<&S::system>("system", "MAVLink system id"),
      status_row<&S::robots>("robots", "robots that send it"),
      status_row<&S::components>("components", "components seen"),
      status_row<&S::version>("version", "MAVLink version"),
      status_row<&S::frames>("frames", "frames received"),
      status_row<&S::lost>("lost", "gaps in the sequence at the sender's port, before the air, and those of `missed`"),
      status_row<&S::behind>("behind", "frames out of sequence"),
      status_row<&S::wrong_crc>("wrong_crc", "frames with a wrong checksum"),
      status_row<&S::is_signed>("signed", "signed frames"),
      status_row<&S::from_other_robots>("from_other_robots", "frames of this system from other robots"),
      status_row<&S::silent>("silent_s", "simulation time since the last frame, s"),
      status_row<&S::type>("type", "vehicle type of the last HEARTBEAT"),
      status_row<&S::autopilot>("autopilot", "autopilot of the last HEARTBEAT"),
      status_row<&S::timesync>("timesync", "TIMESYNC round trips, in simulation time")};
};

struct MavlinkVehicleStatus {
  std::string robot{};
  std::string_view state{};
  bool heard = false;
  std::uint64_t positions = 0, no_numbers = 0, no_fix = 0, other_system = 0, jumps = 0, restarts = 0;
  Probability lost_share{};
  std::optional<double> clock_rate{};
  std::optional<unsigned> system{};
  std::optional<Vec3> position{};
  std::optional<Nanoseconds> age{};
};
template <>
struct StatusTable<MavlinkVehicleStatus> {
  using S = MavlinkVehicleStatus;
  static constexpr std::array rows = {
      status_row<&S::robot>("robot", "robot"),
      status_row<&S::state>("state", "`not heard` (on its track), `heard`, `no fix`, or `silent` for 5 s"),
      status_row<&S::heard>("heard", "whether a position has been received"),
      status_row<&S::positions>("positions", "positions received"),
      status_row<&S::no_numbers>("no_numbers", "positions that are not finite"),
      status_row<&S::no_fix>("no_fix", "positions without a fix"),
      status_row<&S::other_system>("other_system", "positions of another system id"),
      status_row<&S::jumps>("jumps", "implausible jumps"),
      status_row<&S::restarts>("restarts", "times that its autopilot started again"),
      status_row<&S::lost_share>("lost_share",
                                 "share of its frames to others that were dropped, on the air or in its queue"),
      status_row<&S::clock_rate>("clock_rate", "pace of the autopilot's clock, per host time"),
      status_row<&S::system>("system", "system id that places it"),
      status_row<&S::position>("position_m", "last position, east, north, up"),
      status_row<&S::age>("age_s", "age of the last position, simulation time, s")};
};

struct RadioReportStatus {
  std::string robot{}, peer{};
  unsigned port = 0;
  std::uint64_t sent = 0, refused = 0;
  unsigned rssi = 0, remrssi = 0, noise = 0, remnoise = 0, txbuf = 0, rxerrors = 0;
};
template <>
struct StatusTable<RadioReportStatus> {
  using S = RadioReportStatus;
  static constexpr std::array rows = {
      status_row<&S::robot>("robot", "robot that receives RADIO_STATUS"),
      status_row<&S::peer>("peer", "peer that it describes"),
      status_row<&S::port>("port", "UDP port that it is sent to; 0: it is put into the stream of a serial line"),
      status_row<&S::sent>("sent", "messages sent"),
      status_row<&S::refused>("refused", "messages that the packet loop had no room for"),
      status_row<&S::rssi>("rssi", "rssi field"),
      status_row<&S::remrssi>("remrssi", "remrssi field"),
      status_row<&S::noise>("noise", "noise field"),
      status_row<&S::remnoise>("remnoise", "remnoise field"),
      status_row<&S::txbuf>("txbuf", "txbuf field, %"),
      status_row<&S::rxerrors>("rxerrors", "rxerrors field")};
};

struct MavlinkStreamStatus {
  std::string robot{}, peer{};
};
template <>
struct StatusTable<MavlinkStreamStatus> {
  using S = MavlinkStreamStatus;
  static constexpr std::array rows = {status_row<&S::robot>("robot", "robot"),
                                      status_row<&S::peer>("peer", "its peer")};
};

struct RssiFeedStatus {
  std::string robot{};
  std::uint64_t sent = 0, refused = 0;
};
template <>
struct StatusTable<RssiFeedStatus> {
  using S = RssiFeedStatus;
  static constexpr std::array rows = {
      status_row<&S::robot>("robot", "robot that receives the feed"), status_row<&S::sent>("sent", "datagrams sent"),
      status_row<&S::refused>("refused", "datagrams that the packet loop had no room for")};
};

struct GnssFeedStatus {
  std::string robot{};
  std::uint64_t sent = 0, refused = 0, skipped = 0;
  std::optional<double> latitude_deg{}, longitude_deg{}, altitude_m{};
  std::optional<Vec3> error{};
};
template <>
struct StatusTable<GnssFeedStatus> {
  using S = GnssFeedStatus;
  static constexpr std::array rows = {
      status_row<&S::robot>("robot", "robot that receives NMEA 0183"),
      status_row<&S::sent>("sent", "fixes sent, each a datagram with GGA and RMC"),
      status_row<&S::refused>("refused", "fixes that the packet loop had no room for"),
      status_row<&S::skipped>("skipped", "fixes that were not made, because simulation time advanced by more than one"),
      status_row<&S::latitude_deg>(
          "latitude_deg", "of the last fix, degrees, with its error; absent: physics has not placed the robot"),
      status_row<&S::longitude_deg>("longitude_deg", "likewise"),
      status_row<&S::altitude_m>("altitude_m", "likewise, above mean sea level, m"),
      status_row<&S::error>("error_m", "error of the last fix, east, north, up")};
};

struct CotStatus {
  std::string to{};
  std::uint64_t sent = 0, refused = 0, unplaced = 0;
  std::optional<std::string> fault{};
};
template <>
struct StatusTable<CotStatus> {
  using S = CotStatus;
  static constexpr std::array rows = {
      status_row<&S::to>("to", "address and UDP port that events are sent to"),
      status_row<&S::sent>("sent", "events sent, one for each robot and interval"),
      status_row<&S::refused>("refused", "events that the kernel did not take"),
      status_row<&S::unplaced>("unplaced", "events that were not sent, because physics has not placed the robot"),
      status_row<&S::fault>("fault", "why the last event was refused; absent: it was sent")};
};

struct DisOutputStatus {
  std::string to{};
  std::uint64_t transmitters = 0, receivers = 0, refused = 0, unplaced = 0;
  std::optional<std::string> fault{};
};
template <>
struct StatusTable<DisOutputStatus> {
  using S = DisOutputStatus;
  static constexpr std::array rows = {
      status_row<&S::to>("to", "address and UDP port that PDUs are sent to"),
      status_row<&S::transmitters>("transmitters", "Transmitter PDUs sent"),
      status_row<&S::receivers>("receivers", "Receiver PDUs sent"),
      status_row<&S::refused>("refused", "PDUs that the kernel did not take"),
      status_row<&S::unplaced>("unplaced",
                               "looks at radios that sent nothing, because physics has not placed the "
                               "robot"),
      status_row<&S::fault>("fault", "why the last PDU was refused; absent: it was sent")};
};

struct FoxgloveStatus {
  std::uint64_t clients = 0, left_out = 0;
};
template <>
struct StatusTable<FoxgloveStatus> {
  using S = FoxgloveStatus;
  static constexpr std::array rows = {
      status_row<&S::clients>("clients", "programs that are connected now"),
      status_row<&S::left_out>("left_out",
                               "messages that clients, also former ones, have not received, because they "
                               "take them too slowly")};
};

struct DlepStatus {
  std::string robot{}, interface {};
  unsigned port = 0;
  std::string_view state{};
  std::optional<std::string> router{};
  std::optional<Nanoseconds> router_heartbeat{};
  std::uint64_t destinations_up = 0, without_mac = 0;
  std::uint64_t sent = 0, received = 0, malformed = 0;
  std::uint64_t sessions = 0, refused = 0, discoveries = 0, not_discoveries = 0;
  std::optional<std::string> problem{};
};
template <>
struct StatusTable<DlepStatus> {
  using S = DlepStatus;
  static constexpr std::array rows = {
      status_row<&S::robot>("robot", "robot whose router it is"),
      status_row<&S::interface>("interface", "interface of this machine that leads to the router"),
      status_row<&S::port>("port", "TCP port that the router connects to"),
      status_row<&S::state>("state",
                            "`no interface` (`problem` has why), `waiting` for a router, `initializing`, `in session`, "
                            "or `ending`"),
      status_row<&S::router>("router", "peer type of the router; absent without a session"),
      status_row<&S::router_heartbeat>("router_heartbeat_s",
                                       "the router's heartbeat interval, s; absent without a session"),
      status_row<&S::destinations_up>("destinations_up", "destinations that are up and that the router has accepted"),
      status_row<&S::without_mac>("without_mac",
                                  "robots that cannot be destinations, because the configuration has no MAC address of "
                                  "theirs"),
      status_row<&S::sent>("sent", "messages sent, in all sessions"),
      status_row<&S::received>("received", "messages received, in all sessions"),
      status_row<&S::malformed>("malformed", "messages that RFC 8175 does not allow, each of which ended its session"),
      status_row<&S::sessions>("sessions", "sessions that routers have begun"),
      status_row<&S::refused>("refused", "connections that were closed, because the router has a session already"),
      status_row<&S::discoveries>("discoveries", "Peer Discovery signals received"),
      status_row<&S::not_discoveries>("not_discoveries", "other datagrams on their port, which are ignored"),
      status_row<&S::problem>("problem",
                              "what is wrong with the interface or the session, or why the last session ended; absent: "
                              "nothing")};
};

struct MavlinkStatus {
  std::uint64_t missed = 0, of_no_system = 0;
  std::vector<MavlinkSystemStatus> systems{};
  std::vector<MavlinkVehicleStatus> vehicles{};
  std::vector<RadioReportStatus> radio_status{};
  std::vector<MavlinkStreamStatus> streams{};
  std::vector<RssiFeedStatus> rssi_feeds{};
};
template <>
struct StatusTable<MavlinkStatus> {
  using S = MavlinkStatus;
  static constexpr std::array rows = {
      status_row<&S::missed>("missed", "frames that the gateway itself did not read, because the tap ring was full"),
      status_row<&S::of_no_system>("of_no_system",
                                   "frames with a wrong checksum, or one that cannot be checked, of system ids that "
                                   "no verified frame had used"),
      status_row<&S::systems>("systems", "MAVLink systems of which a frame with a verified checksum was received"),
      status_row<&S::vehicles>("vehicles", "robots with physics of type mavlink"),
      status_row<&S::radio_status>("radio_status", "RADIO_STATUS messages sent, by robot and peer"),
      status_row<&S::streams>("streams", "robots whose RADIO_STATUS has no way: they communicate over TCP"),
      status_row<&S::rssi_feeds>("rssi_feeds", "feeds to robots")};
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/telemetry.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "clock/host_now.h"
#include "frame/serial_frame.h"
#include "gateway/run/telemetry/heard_packet.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr auto kWatch = 100ms;            // for vehicles that fell silent
constexpr auto kTick = 1ms;               // shortest interval of a feed; vehicles send at most every few
constexpr std::size_t kFeedBytes = 1200;  // of a datagram: passes any path that IPv6 passes

std::vector<std::string> names_of(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const RobotConfig& robot : configuration.robots) {
    names.push_back(robot.name);
  }
  return names;
}

// A pace that simulators set is not constant: a vehicle could not keep it.
std::optional<double> pace_of(const Configuration& configuration) {
  const bool steady = configuration.pace == Pace::kWall || configuration.pace == Pace::kDilate;
  return steady ? std::optional(configuration.dilation.factor()) : std::nullopt;
}

void warn(const std::string& text) {
  spdlog::warn("{}", text);
}

}  // namespace

Telemetry::Telemetry(asio::io_context& context, const Gateway& gateway)
    : gateway_(gateway),
      timer_(context),
      names_(names_of(gateway.configuration)),
      bodies_(gateway.configuration.robots),
      robots_(gateway.configuration),
      systems_(warn),
      cot_(context, gateway.configuration, gateway.windows),
      dis_(context, {.configuration = gateway.configuration,
                     .simulation = gateway.simulation,
                     .slots = gateway.slots,
                     .windows = gateway.windows,
                     .plane = gateway.plane}) {
  if (gateway_.simulation.vehicles != nullptr) {
    gateway_.simulation.vehicles->on_event(warn);
  }
}

void Telemetry::changed() {
  gnss_.changed(gateway_.configuration);
  dis_.changed();
  auto names = names_of(gateway_.configuration);
  if (names != names_) {
    names_ = std::move(names);
    bodies_ = Bodies(gateway_.configuration.robots);
    radios_ = {};
    lines_ = {};
    systems_.forget_robots();
  }
}

void Telemetry::start() {
  if (gateway_.configuration.cot) {
    cot_.start();
  }
  if (gateway_.configuration.dis) {
    dis_.start();
  }
  watch();
}

void Telemetry::watch() {
  if (!tap_of(gateway_.configuration).on) {
    return;
  }
  timer_.expires_after(kTick);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      tick();
      watch();
    }
  });
}

void Telemetry::tick() {
  gateway_.plane.overheard([this](const Overheard& frame) { take(frame); });
  const HostTime now = gateway_.clock.now();
  if (gateway_.simulation.vehicles != nullptr && now - watched_ >= kWatch) {
    gateway_.simulation.vehicles->watch(sim_now(), pace_of(gateway_.configuration));
    watched_ = now;
  }
  say_places(now);
  const SimTime sim = sim_now();
  send_radio_statuses(sim);
  send_line_statuses();
  send_feeds(sim);
  send_positions(now, sim);
}

// In lockstep there are windows alone.
SimTime Telemetry::sim_now() const {
  const bool lockstep = gateway_.configuration.pace == Pace::kLockstep;
  return lockstep ? gateway_.windows.now() : gateway_.windows.engine().sim_at(gateway_.clock.now());
}

// Frames are stamped in path time, which with pace follow is not the host's.
mavlink::Moment Telemetry::moment_of(HostTime path) const {
  switch (gateway_.configuration.pace) {
    case Pace::kLockstep:
      return {path, gateway_.windows.now()};
    case Pace::kFollow:
      return {gateway_.clock.now(), gateway_.windows.engine().sim_at_path(path)};
    default:
      return {path, gateway_.windows.engine().sim_at(path)};
  }
}

// ---- sending ----

void Telemetry::send_radio_statuses(SimTime now) {
  const auto& robots = gateway_.configuration.robots;
  radios_.send_due(
      now, [&](RobotIndex robot) { return robots[robot.value()].radio_status; },
      [this](RobotIndex robot, RobotIndex peer) { return pair(robot, peer); },
      [this](RobotIndex robot, std::span<const std::byte> frame) { return send(robot, frame); });
}

void Telemetry::send_line_statuses() {
  lines_.send_due([this](RobotIndex robot, LineStatuses::Host& host) { return read_radio(robot, host); },
                  [this](RobotIndex robot, const std::string& message) {
                    const PortSlot port =
                        gateway_.slots.ports().slot_of(gateway_.configuration.robots[robot.value()].port);
                    const auto header = serial_header(port, kLineReport);
                    std::vector<std::byte> frame(header.begin(), header.end());
                    const auto bytes = std::as_bytes(std::span(message));
                    frame.insert(frame.end(), bytes.begin(), bytes.end());
                    return send(robot, frame);
                  });
}

// About the other end; where there are several, about the one with the best reception.
bool Telemetry::read_radio(RobotIndex robot, LineStatuses::Host& host) const {
  const Configuration& configuration = gateway_.configuration;
  std::optional<RobotIndex> peer;
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    const PortConfig& port = configuration.ports[configuration.robots[i].port.value()];
    if (!share_body(configuration.robots[i], configuration.robots[robot.value()]) && is_line(port.driver) &&
        (!peer || reading(RobotIndex{i}, robot).rssi_dbm > reading(*peer, robot).rssi_dbm)) {
      peer = RobotIndex{i};
    }
  }
  const RobotConfig& self = configuration.robots[robot.value()];
  if (!peer || !self.radio_status) {
    return false;
  }
  host.peer = *peer;
  const RadioPair read = pair(robot, *peer);
  host.note(read, read.heard.reachable, sim_now());
  host.status.txbuf =
      gateway_.plane.free_percent(gateway_.slots.ports().slot_of(self.port)).value_or(host.status.txbuf);
  return true;
}

RadioPair Telemetry::pair(RobotIndex robot, RobotIndex peer) const {
  const auto counts = [this](RobotIndex from, RobotIndex to) {
    return gateway_.plane.counts(gateway_.slots.link(from, to));
  };
  const auto& stations = gateway_.simulation.air.stations;
  const bool serial = robot.value() < stations.size() && stations[robot.value()] && stations[robot.value()]->serial;
  return {.heard = reading(peer, robot),
          .heard_there = reading(robot, peer),
          .in = counts(peer, robot),
          .out = counts(robot, peer),
          .queue_frames = queue_frames(robot, peer),
          .queue_bytes = serial ? stations[robot.value()]->queue_bytes : 0,
          .queued_bytes = serial ? gateway_.plane.queued_bytes(gateway_.slots.link(robot, peer)) : 0};
}

LinkReading Telemetry::reading(RobotIndex from, RobotIndex to) const {
  return read_link(gateway_.windows.table(), gateway_.simulation.air, link_ends(gateway_.configuration), from, to);
}

// Of the medium's, or of the link's rate.
std::uint32_t Telemetry::queue_frames(RobotIndex from, RobotIndex to) const {
  const AirPlan& air = gateway_.simulation.air;
  if (from.value() < air.stations.size() && air.stations[from.value()]) {
    return air.stations[from.value()]->queue_frames;
  }
  const LinkIndex link = link_of(from, to, link_ends(gateway_.configuration));
  const auto& impairments = air.rules[link.value()].impairments;
  return impairments && impairments->rate ? impairments->rate->queue_frames : 0;
}

void Telemetry::send_positions(HostTime now, SimTime sim) {
  const Scene* const scene = gateway_.windows.scene();
  if (scene == nullptr || !has_gnss(gateway_.configuration)) {
    return;
  }
  const Nanoseconds utc = now.time_since_epoch() + utc_ahead_of_host() - (sim - scene->at);
  gnss_.send_due(gateway_.configuration, *scene, utc,
                 [this](RobotIndex robot, std::span<const std::byte> frame) { return send(robot, frame); });
}

void Telemetry::send_feeds(SimTime now) {
  const auto& robots = gateway_.configuration.robots;
  const LinkTable& table = gateway_.windows.table();
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    if (!robots[i].rssi_feed) {
      continue;
    }
    Feed& feed = feeds_[robots[i].name];
    if (!feed.last_sent || (now - *feed.last_sent >= robots[i].rssi_feed->every && table.window != feed.last_window)) {
      feed.last_sent = now;
      feed.last_window = table.window;
      send_feed(RobotIndex{i}, feed);
    }
  }
}

void Telemetry::send_feed(RobotIndex robot, Feed& feed) {
  const auto& robots = gateway_.configuration.robots;
  const RobotConfig& self = robots[robot.value()];
  std::vector<PeerReading> peers;
  for (std::uint32_t other = 0; other < robots.size(); ++other) {
    if (are_linked(gateway_.configuration, RobotIndex{other}, robot)) {
      peers.push_back({robots[other].name, reading(RobotIndex{other}, robot), reading(robot, RobotIndex{other})});
    }
  }
  const LinkTable& table = gateway_.windows.table();
  for (const std::string& datagram : feed_datagrams(self.name, table.at, table.window, peers, kFeedBytes)) {
    send(robot, feed_frame(self, *self.rssi_feed, datagram)) ? ++feed.sent : ++feed.refused;
  }
}

bool Telemetry::send(RobotIndex robot, std::span<const std::byte> frame) {
  const RobotConfig& to = gateway_.configuration.robots[robot.value()];
  return gateway_.plane.inject(gateway_.slots.ports().slot_of(to.port), to.vlan, frame);
}

std::string Telemetry::name_of(RobotIndex robot) const {
  return names_[robot.value()];
}

std::string Telemetry::body_name(RobotIndex robot) const {
  return gateway_.configuration.robots[robot.value()].body;
}

}  // namespace hilgate

// What telemetry makes of frames that it overhears.

namespace hilgate {
namespace {

constexpr Nanoseconds kBetweenPlaces{20'000'000};  // texts to the other gateways; vehicles send less often
constexpr Nanoseconds kOnItsWay{5'000'000'000};    // texts are no older (SiteSeal)

std::uint64_t channel_of(const UdpEnds& ends) {
  const std::uint64_t ports = (std::uint64_t{ends.from_port} << 16) | ends.to_port;
  return std::hash<std::uint64_t>{}(ends.to.high()) ^ (ends.to.low() * 0x9E37'79B9'7F4A'7C15ULL) ^ (ports << 7);
}

}  // namespace

void Telemetry::take(const Overheard& overheard) {
  const auto packet = read_overheard(overheard.head());
  const auto port = gateway_.slots.ports().index_of(overheard.port);
  if (!packet || !port || packet->on_line != is_line(gateway_.configuration.ports[port.value().value()].driver)) {
    return;  // another protocol
  }
  const auto from = robots_.sender(port.value(), packet->ends.from_mac);
  if (!from) {
    return;
  }
  mavlink::Moment at = moment_of(overheard.arrived);
  at.queued = packet->in_stream;
  if (!packet->in_stream && is_rtps(packet->data)) {
    take_dds(*packet, *from, at.host);
  } else {
    take_mavlink(*packet, *from, at);
  }
}

void Telemetry::take_dds(const HeardPacket& packet, RobotIndex from, HostTime at) {
  if (!gateway_.configuration.dds) {
    return;
  }
  for (const std::uint16_t domain : gateway_.configuration.dds->domains) {
    if (packet.ends.to_port == dds_announcement_port(domain)) {
      if (const auto announcement = read_dds_announcement(packet.data)) {
        participants_.take(name_of(from), domain, *announcement, at);
      } else {
        participants_.take_unread();
      }
    }
  }
}

void Telemetry::take_mavlink(const HeardPacket& packet, RobotIndex from, const mavlink::Moment& at) {
  const auto to = robots_.owner(packet.ends.to_mac);
  const mavlink::Heard heard{.from = from,
                             .body = bodies_.representative(from),
                             .channel = channel_of(packet.ends),
                             .in_stream = packet.in_stream,
                             .at = at.sim};
  mavlink::each_frame(packet.data, [&](const mavlink::Frame& frame) {
    if (mavlink::check(frame) == mavlink::Checksum::kWrong) {
      return systems_.take_wrong(frame);
    }
    take_frame(frame, heard, at);
    if (packet.on_line && std::holds_alternative<mavlink::Heartbeat>(mavlink::read_message(frame))) {
      lines_.heartbeat(from, frame.version);
    }
    const bool is_checked = mavlink::check(frame) == mavlink::Checksum::kRight;
    if (to && *to != from && !packet.on_line && is_checked) {
      note_flow(packet, from, *to, frame.version, at.sim);
    }
  });
}

void Telemetry::note_flow(const HeardPacket& packet, RobotIndex from, RobotIndex to, mavlink::Version version,
                          SimTime at) {
  if (packet.in_stream) {
    const auto& robots = gateway_.configuration.robots;
    if (radios_.note_stream(from, to) && (robots[from.value()].radio_status || robots[to.value()].radio_status)) {
      spdlog::warn(
          "MAVLink: robots {} and {} speak over TCP, and get no RADIO_STATUS: nothing can be put into a stream whose "
          "sequence numbers its ends count; have them use UDP",
          name_of(from), name_of(to));
    }
  } else if (!packet.tagged) {
    radios_.note(from, to, packet.ends, version, at);
  }
}

void Telemetry::take_frame(const mavlink::Frame& frame, const mavlink::Heard& heard, const mavlink::Moment& at) {
  const mavlink::Message message = mavlink::read_message(frame);
  systems_.take(heard, frame, message, [this](RobotIndex robot) { return body_name(robot); });
  if (gateway_.simulation.vehicles != nullptr) {
    gateway_.simulation.vehicles->take(heard.from, mavlink::author_of(frame), message, at);
    if (say_ && gateway_.windows.engine().running() && mavlink::Vehicles::hears(message)) {
      to_others_.note(heard.from, heard.at, frame);
    }
  }
  if (gateway_.configuration.pace == Pace::kFollow && gateway_.configuration.follow.source == FollowSource::kMavlink) {
    take_time(heard.body, frame.system, message);
  }
}

void Telemetry::say_places(HostTime now) {
  if (!say_ || now - said_ < kBetweenPlaces) {
    return;
  }
  said_ = now;
  for (const std::string& text : to_others_.take()) {
    static_cast<void>(say_(text));  // robots send it again
  }
}

// As if it had been received here, at its instant.
void Telemetry::hear(std::uint32_t gateway, std::string_view text) {
  const Configuration& configuration = gateway_.configuration;
  const auto all = SiteTelemetry::read(text);
  if (!all || gateway_.simulation.vehicles == nullptr || !gateway_.windows.engine().running()) {
    return;
  }
  const HostTime now = gateway_.clock.now();
  for (const SiteTelemetry::Heard& heard : *all) {
    const bool is_there = heard.from.value() < configuration.robots.size() &&
                          configuration.ports[configuration.robots[heard.from.value()].port.value()].gateway == gateway;
    const auto frame = mavlink::first_frame(heard.frame);
    const SimTime here = gateway_.windows.engine().sim_at(now);
    if (is_there && frame && mavlink::check(*frame) == mavlink::Checksum::kRight && heard.at <= here + kOnItsWay &&
        heard.at >= here - kOnItsWay) {
      gateway_.simulation.vehicles->take(heard.from, mavlink::author_of(*frame), mavlink::read_message(*frame),
                                         {.host = std::min(now, gateway_.windows.engine().host_at(heard.at)),
                                          .sim = std::min(here, heard.at),
                                          .queued = true});
    }
  }
}

void Telemetry::take_time(RobotIndex from, std::uint8_t system, const mavlink::Message& message) {
  const auto time = mavlink::vehicle_time(message);
  if (!time) {
    return;
  }
  if (!timekeeper_) {
    timekeeper_ = {from, system};
    spdlog::info("follow: the time of MAVLink system {} at robot {} is followed", system, body_name(from));
  }
  if (timekeeper_ == std::pair{from, system}) {
    gateway_.windows.note_physics_clock(*time);
  }
}

}  // namespace hilgate

// MAVLink, DDS and feeds in the status.

namespace hilgate {
namespace {

TimeSyncStatus timesync_status(const mavlink::TimeSyncTrips& trips) {
  TimeSyncStatus status{.requests = trips.requests, .answers = trips.answers};
  if (trips.answers > 0) {
    status.last = trips.last;
    status.least = trips.least;
    status.most = trips.most;
  }
  return status;
}

MavlinkSystemStatus system_status(std::uint8_t system, const mavlink::SystemCounts& counts, SimTime now) {
  MavlinkSystemStatus status{.system = system,
                             .robots = {},
                             .components = {counts.components.begin(), counts.components.end()},
                             .version = counts.version,
                             .frames = counts.frames,
                             .lost = counts.lost,
                             .behind = counts.behind,
                             .wrong_crc = counts.wrong_crc,
                             .is_signed = counts.is_signed,
                             .from_other_robots = counts.from_others};
  if (counts.frames > 0) {
    status.silent = now - counts.last_heard;
  }
  if (counts.heartbeat) {
    status.type = counts.heartbeat->type;
    status.autopilot = counts.heartbeat->autopilot;
  }
  if (counts.timesync.requests > 0) {
    status.timesync = timesync_status(counts.timesync);
  }
  return status;
}

RadioReportStatus radio_status_of(const std::string& robot, const std::string& peer, std::uint16_t port,
                                  const RadioReports& reports) {
  return {.robot = robot,
          .peer = peer,
          .port = port,
          .sent = reports.sent,
          .refused = reports.refused,
          .rssi = reports.status.rssi,
          .remrssi = reports.status.remrssi,
          .noise = reports.status.noise,
          .remnoise = reports.status.remnoise,
          .txbuf = reports.status.txbuf,
          .rxerrors = reports.status.rxerrors};
}

}  // namespace

MavlinkVehicleStatus Telemetry::vehicle_status(RobotIndex robot, SimTime now) const {
  const mavlink::Vehicles& vehicles = *gateway_.simulation.vehicles;
  const mavlink::VehicleCounts& counts = vehicles.counts(robot);
  const mavlink::Standing standing = vehicles.standing(robot, now);
  MavlinkVehicleStatus status{.robot = body_name(robot),
                              .state = mavlink::name(standing.state),
                              .heard = vehicles.heard(robot),
                              .positions = counts.positions,
                              .no_numbers = counts.no_numbers,
                              .no_fix = counts.no_fix,
                              .other_system = counts.other_system,
                              .jumps = counts.jumps,
                              .restarts = counts.restarts,
                              .lost_share = {lost_share(robot)},
                              .clock_rate = standing.clock_rate};
  if (standing.system) {
    status.system = *standing.system;
  }
  if (standing.place) {
    status.position = *standing.place;
    status.age = standing.age;
  }
  return status;
}

// Of what it sent by any of its radios, to all others together.
double Telemetry::lost_share(RobotIndex robot) const {
  LinkCounts sum;
  const auto& robots = gateway_.configuration.robots;
  for (std::uint32_t from = robot.value(); from < robots.size() && share_body(robots[from], robots[robot.value()]);
       ++from) {
    for (std::uint32_t to = 0; to < robots.size(); ++to) {
      const LinkCounts link = gateway_.plane.counts(gateway_.slots.link(RobotIndex{from}, RobotIndex{to}));
      sum.released += link.released;
      sum.dropped.front() += link.dropped_total();
    }
  }
  const auto done = static_cast<double>(sum.released + sum.dropped.front());
  return done > 0 ? static_cast<double>(sum.dropped.front()) / done : 0;
}

std::optional<MavlinkStatus> Telemetry::mavlink_status() const {
  const Configuration& configuration = gateway_.configuration;
  if (!configuration.mavlink && !has_rssi_feeds(configuration)) {
    return std::nullopt;
  }
  MavlinkStatus status;
  status.missed = gateway_.plane.missed();
  status.of_no_system = systems_.of_no_system();
  const SimTime now = sim_now();
  for (const auto& [system, counts] : systems_.all()) {
    MavlinkSystemStatus& added = status.systems.emplace_back(system_status(system, counts, now));
    for (const RobotIndex robot : counts.robots) {
      added.robots.push_back(body_name(robot));
    }
  }
  for (std::size_t body = 0; gateway_.simulation.vehicles != nullptr && body < bodies_.size(); ++body) {
    status.vehicles.push_back(vehicle_status(bodies_.first_radio(body), now));
  }
  for (const auto& [flow, peer] : radios_.flows()) {
    if (peer.sent + peer.refused > 0) {
      status.radio_status.push_back(radio_status_of(name_of(flow.robot), name_of(flow.peer), flow.ends.to_port, peer));
    }
  }
  for (const auto& [robot, peer] : radios_.streams()) {
    if (configuration.robots[robot.value()].radio_status) {
      status.streams.push_back({.robot = name_of(robot), .peer = name_of(peer)});
    }
  }
  for (const auto& [robot, host] : lines_.hosts()) {
    if (host.sent + host.refused > 0) {
      status.radio_status.push_back(radio_status_of(name_of(robot), name_of(host.peer), 0, host));
    }
  }
  for (const auto& [robot, feed] : feeds_) {
    status.rssi_feeds.push_back({.robot = robot, .sent = feed.sent, .refused = feed.refused});
  }
  return status;
}

std::vector<GnssFeedStatus> Telemetry::gnss_status() const {
  return gnss_.status(gateway_.configuration);
}

std::optional<CotStatus> Telemetry::cot_status() const {
  return gateway_.configuration.cot ? std::optional(cot_.status()) : std::nullopt;
}

std::optional<DisOutputStatus> Telemetry::dis_status() const {
  return gateway_.configuration.dis ? std::optional(dis_.status()) : std::nullopt;
}

std::optional<DdsStatus> Telemetry::dds_status() const {
  if (!gateway_.configuration.dds) {
    return std::nullopt;
  }
  DdsStatus status = participants_.status(gateway_.clock.now());
  status.missed = gateway_.plane.missed();
  return status;
}

}  // namespace hilgate

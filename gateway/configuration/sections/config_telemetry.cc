// SPDX-License-Identifier: Apache-2.0
// mavlink:, dds:, cot:, dis:, and of robots system_id, positions_from, radio_status, rssi_feed, gnss and dlep.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "config/plain_text.h"
#include "gateway/configuration/bodies.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostCotText = 64;       // bytes: a datagram has several
constexpr std::uint16_t kUsualCotPort = 6969;  // of TAK's multicast group 239.2.3.1

// The ports of ten instances: offboard programs, ground stations and PX4's ends of both (PX4 user guide, "Multi-vehicle
// simulation"; instance i adds i), and ArduPilot's, whose UDP and TCP ports are ten apart (sim_vehicle.py).
std::vector<std::uint16_t> usual_ports() {
  constexpr std::uint16_t kInstances = 10;
  std::vector<std::uint16_t> ports{14555, 14556, 14557};
  for (std::uint16_t i = 0; i < kInstances; ++i) {
    for (const unsigned port : {14540U + i, 14580U + i, 18570U + i, 14550U + 10U * i, 14551U + 10U * i, 5760U + 10U * i,
                                5762U + 10U * i, 5763U + 10U * i}) {
      ports.push_back(static_cast<std::uint16_t>(port));
    }
  }
  return ports;
}

MavlinkConfig read_ports_of(YamlReader& mavlink) {
  MavlinkConfig config;
  config.ports = mavlink.list<std::uint16_t>("ports");
  if (!mavlink.has("ports")) {
    config.ports = usual_ports();
  } else if (config.ports.empty() || std::find(config.ports.begin(), config.ports.end(), 0) != config.ports.end()) {
    mavlink.fault("ports", "must be a list of ports, each 1 to 65535");
  }
  return config;
}

// The domains whose announcements have a port: RTPS 2.5, 9.6.2.3; ROS 2 uses 0 where none is set.
DdsConfig read_domains_of(YamlReader& dds) {
  DdsConfig config{.domains = dds.list<std::uint16_t>("domains")};
  if (!dds.has("domains")) {
    config.domains = {0};
  } else if (config.domains.empty() ||
             std::ranges::any_of(config.domains, [](std::uint16_t domain) { return domain > kLastDdsDomain; })) {
    dds.fault("domains", fmt::format("must be a list of domains, each 0 to {}", kLastDdsDomain));
  }
  return config;
}

// The first address of the family, of another robot than that of `self`.
IpAddress another_address(const std::vector<RobotConfig>& robots, const RobotConfig& self, bool v4) {
  for (const RobotConfig& robot : robots) {
    for (const IpAddress& ip : robot.ips) {
      if (!share_body(robot, self) && ip.is_v4() == v4) {
        return ip;
      }
    }
  }
  return {};
}

constexpr Range<std::uint16_t> kPort{1, 65535, "1 to 65535"};

/// Where the datagrams of a feed go: `port`, `to` and `from`.
void read_ends(YamlReader& feed, const Configuration& configuration, const RobotConfig& robot,
               RobotFeedConfig& config) {
  config.port = require_within(feed, "port", kPort).value_or(1);
  config.to = feed.optional<IpAddress>("to").value_or(robot.ips.empty() ? IpAddress{} : robot.ips.front());
  if (std::find(robot.ips.begin(), robot.ips.end(), config.to) == robot.ips.end()) {
    feed.fault(fmt::format("must be one of robot '{}'s addresses under `ip:`", robot.name));
  }
  config.from =
      feed.optional<IpAddress>("from").value_or(another_address(configuration.robots, robot, config.to.is_v4()));
  if (config.from == IpAddress{} || config.from.is_v4() != config.to.is_v4()) {
    feed.fault("misses the key 'from', a source address of the same IP version");
  }
}

RssiFeedConfig read_feed_of(YamlReader& feed, const Configuration& configuration, const RobotConfig& robot) {
  constexpr Range<Nanoseconds> kEvery{1ms, 1h, "1ms to 1h"};
  RssiFeedConfig config;
  config.every = read_within(feed, "every", kEvery).value_or(std::max<Nanoseconds>(config.every, configuration.window));
  if (config.every < configuration.window) {
    feed.fault("every", fmt::format("'{}' is shorter than the window, within which links do not change",
                                    feed.required<std::string>("every")));
  }
  read_ends(feed, configuration, robot, config);
  return config;
}

GnssErrorConfig read_gnss_error(YamlReader& error) {
  constexpr Range<Metres> kSigma{{0}, {1000}, "0 m to 1000 m"};
  constexpr Range<Nanoseconds> kCorrelation{0s, 1h, "0s to 1h"};
  GnssErrorConfig config;
  config.sigma_m = require_within(error, "sigma", kSigma).value_or(Metres{}).value;
  config.sigma_up_m = read_within(error, "sigma_up", kSigma).value_or(Metres{config.sigma_m}).value;
  config.correlation = read_within(error, "correlation", kCorrelation).value_or(config.correlation);
  return config;
}

GnssConfig read_gnss_of(YamlReader& gnss, const Configuration& configuration, const RobotConfig& robot) {
  constexpr Range<Hertz> kRate{{1}, {10}, "1 Hz to 10 Hz"};
  GnssConfig config;
  const double rate_hz = read_within(gnss, "rate", kRate).value_or(Hertz{1}).value;
  config.every = Nanoseconds{std::llround(1e9 / rate_hz)};
  if (config.every < configuration.window) {
    gnss.fault(
        fmt::format("'rate' is {:g} Hz, and positions change once a window of {:g} ms alone; use a shorter "
                    "`window` or a lower rate",
                    rate_hz, microseconds_of(configuration.window) / 1e3));
  }
  if (auto error = gnss.optional_child("error")) {
    config.error = read_gnss_error(*error);
  }
  check_geographic(gnss, configuration.world.scene);
  read_ends(gnss, configuration, robot, config);
  return config;
}

/// One session on each interface: the connection does not have the name of the robot.
void check_dlep_interface(YamlReader& dlep, const Configuration& configuration, const RobotConfig& robot,
                          const DlepConfig& config) {
  if (!dlep.has("interface")) {
    return;  // reported
  }
  if (!is_interface_name(config.interface)) {
    dlep.fault("interface",
               fmt::format("'{}' is not an interface name; allowed: 1 to 15 characters without '/', ':' and blanks",
                           shown(config.interface)));
  }
  const std::uint32_t gateway =
      robot.port.value() < configuration.ports.size() ? configuration.ports[robot.port.value()].gateway : 0;
  for (const PortConfig& port : configuration.ports) {
    if (port.gateway == gateway && port.interface == config.interface) {
      dlep.fault("interface",
                 fmt::format("'{}' is the interface of port '{}' in line {}, whose frames do not reach this machine; "
                             "give the router's modem an interface of its own, a veth pair or a VLAN",
                             shown(config.interface), port.name, port.line));
    }
  }
  for (const RobotConfig& other : configuration.robots) {
    if (&other < &robot && other.dlep && other.dlep->interface == config.interface &&
        other.port.value() < configuration.ports.size() && configuration.ports[other.port.value()].gateway == gateway) {
      dlep.fault("interface", fmt::format("'{}' is already that of robot '{}' in line {}; each router needs its own",
                                          shown(config.interface), other.name, other.line));
    }
  }
}

DlepConfig read_dlep_of(YamlReader& dlep, const Configuration& configuration, const RobotConfig& robot) {
  constexpr Range<Nanoseconds> kHeartbeat{100ms, 1h, "100ms to 1h"};
  DlepConfig config;
  config.interface = dlep.required<std::string>("interface");
  config.port = read_within(dlep, "port", kPort).value_or(config.port);
  config.discovery = dlep.optional<bool>("discovery", config.discovery);
  config.heartbeat = read_within(dlep, "heartbeat", kHeartbeat).value_or(config.heartbeat);
  check_dlep_interface(dlep, configuration, robot, config);
  return config;
}

/// Types of events are paths in a tree, as "a-f-G-U-C": letters, digits and dots between dashes.
bool is_cot_type(std::string_view type) {
  const auto is_allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.'; };
  return !type.empty() && type.size() <= kMostCotText && type.front() != '-' && type.back() != '-' &&
         type.find("--") == std::string_view::npos && std::ranges::all_of(type, is_allowed);
}

std::string read_cot_type(YamlReader& map, const std::string& usual) {
  auto type = map.optional<std::string>("type", usual);
  if (!is_cot_type(type)) {
    map.fault("type", fmt::format("'{}' is not a type of Cursor on Target; example: a-f-G-U-C", shown(type)));
  }
  return type;
}

std::string read_cot_text(YamlReader& map, const char* key, const std::string& usual) {
  auto text = map.optional<std::string>(key, usual);
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (text.empty() || text.size() > kMostCotText || std::ranges::any_of(text, is_control)) {
    map.fault(key, fmt::format("must have 1 to {} bytes of UTF-8 without control characters", kMostCotText));
  }
  return text;
}

void read_cot_robots(YamlReader& cot, const Configuration& configuration, const Bodies& bodies, CotConfig& config) {
  const std::string type = read_cot_type(cot, "a-f-G");
  for (const std::string& name : bodies.names()) {
    config.robots.push_back(
        {.uid = fmt::format("hilgate.{}.{}", configuration.name, name), .type = type, .callsign = name});
  }
  auto robots = cot.optional_child("robots");
  for (auto& [name, map] : robots ? robots->entries() : std::vector<YamlReader::Entry>{}) {
    if (const auto body = place_of(map, name, "robot", bodies.names())) {
      CotRobotConfig& robot = config.robots[*body];
      robot.type = read_cot_type(map, robot.type);
      robot.callsign = read_cot_text(map, "callsign", robot.callsign);
      robot.uid = read_cot_text(map, "uid", robot.uid);
    }
  }
  for (std::size_t i = 0; i < config.robots.size(); ++i) {
    for (std::size_t other = 0; other < i; ++other) {
      if (config.robots[i].uid == config.robots[other].uid) {
        cot.fault("robots", fmt::format("gives robots '{}' and '{}' the same uid '{}'", bodies.names()[other],
                                        bodies.names()[i], config.robots[i].uid));
      }
    }
  }
}

CotConfig read_cot(YamlReader& cot, const Configuration& configuration, const Bodies& bodies) {
  constexpr Range<Nanoseconds> kEvery{100ms, 1h, "100ms to 1h"};
  constexpr Range<Nanoseconds> kStale{100ms, 24h, "100ms to 24h"};
  CotConfig config;
  config.to = read_host_or_group(cot, "to");
  config.port = read_within(cot, "port", kPort).value_or(kUsualCotPort);
  config.every = read_within(cot, "every", kEvery).value_or(config.every);
  config.stale = read_within(cot, "stale", kStale).value_or(std::max<Nanoseconds>(config.stale, 2 * config.every));
  if (config.stale < config.every) {
    cot.fault("stale", "is shorter than `every`: receivers would remove each robot between two of its events");
  }
  check_geographic(cot, configuration.world.scene);
  read_cot_robots(cot, configuration, bodies, config);
  return config;
}

// A telemetry radio at a serial line reports without being asked, as long as MAVLink passes.
bool is_modem(const Configuration& configuration, const RobotConfig& robot) {
  const std::size_t port = robot.port.value();
  return port < configuration.ports.size() && is_line(configuration.ports[port].driver) &&
         configuration.ports[port].serial.framing == SerialFraming::kMavlink;
}

// A companion or a router may carry several vehicles' telemetry over one port. `robot`: the first radio of the robot.
void read_forwarder(YamlReader& map, const Configuration& configuration, const Bodies& bodies, RobotConfig& robot) {
  const auto name = map.optional<std::string>("positions_from");
  const auto place = name ? place_of(map.child("positions_from"), *name, "robot", bodies.names()) : std::nullopt;
  if (!place) {
    return;
  }
  const RobotIndex forwarder = bodies.first_radio(*place);
  robot.positions_from = forwarder;
  if (!robot.system_id) {
    map.fault("positions_from", "needs `system_id`, which distinguishes this robot from others");
  }
  for (const RobotConfig& other : configuration.robots) {
    const bool is_robot = &other == &robot;
    if (!is_robot && share_body(other, robot)) {
      continue;
    }
    const bool same_way = other.positions_from == robot.positions_from ||
                          (&other == &configuration.robots[forwarder.value()] && !other.positions_from);
    if (is_robot && &configuration.robots[forwarder.value()] == &robot) {
      map.fault("positions_from", fmt::format("is '{}' itself, whose packets count anyway", robot.name));
    } else if (!is_robot && robot.system_id && other.system_id == robot.system_id && same_way) {
      map.fault("system_id", fmt::format("{} is also that of robot '{}', whose positions come in the same packets",
                                         *robot.system_id, other.body));
    }
  }
}

std::optional<std::uint8_t> read_system_id(YamlReader& map) {
  constexpr Range<std::uint32_t> kSystems{1, 255, "1 to 255"};
  const auto system = read_within(map, "system_id", kSystems);
  return system ? std::optional(static_cast<std::uint8_t>(*system)) : std::nullopt;
}

void read_reports(YamlReader& map, const Configuration& configuration, RobotConfig& robot) {
  robot.radio_status = map.optional<bool>("radio_status", is_modem(configuration, robot));
  if (auto feed = map.optional_child("rssi_feed")) {
    robot.rssi_feed = read_feed_of(*feed, configuration, robot);
  }
  if (auto gnss = map.optional_child("gnss")) {
    robot.gnss = read_gnss_of(*gnss, configuration, robot);
  }
  if (auto dlep = map.optional_child("dlep")) {
    robot.dlep = read_dlep_of(*dlep, configuration, robot);
  }
  for (const char* const key : {"rssi_feed", "gnss"}) {
    if (map.has(key) && robot.macs.empty()) {
      map.fault(key, "misses the key 'mac' of this robot, to which the datagrams are addressed");
    }
  }
}

}  // namespace

void read_telemetry(YamlReader& root, Configuration& configuration) {
  bool asked = configuration.vehicles.has_value();
  for (RobotConfig& robot : configuration.robots) {
    YamlReader map = radio_map(root, robot);
    read_reports(map, configuration, robot);
    asked = asked || robot.radio_status;
  }
  const Bodies bodies(configuration.robots);
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    RobotConfig& first = configuration.robots[bodies.first_radio(body).value()];
    YamlReader map = robot_map(root, first);
    first.system_id = read_system_id(map);
  }
  for (std::size_t body = 0; body < bodies.size(); ++body) {  // now that all have their ids
    RobotConfig& first = configuration.robots[bodies.first_radio(body).value()];
    YamlReader map = robot_map(root, first);
    read_forwarder(map, configuration, bodies, first);
  }
  if (auto mavlink = root.optional_child("mavlink")) {
    configuration.mavlink = read_ports_of(*mavlink);
  } else if (asked) {
    configuration.mavlink = MavlinkConfig{usual_ports()};
  }
  if (auto dds = root.optional_child("dds")) {
    configuration.dds = read_domains_of(*dds);
  }
  if (auto cot = root.optional_child("cot")) {
    configuration.cot = read_cot(*cot, configuration, bodies);
  }
  read_dis(root, configuration);
  if ((configuration.mavlink || configuration.dds) && configuration.kernel_links) {
    root.child("kernel").fault(
        "links", fmt::format("cannot be used with {}: the gateway does not see frames that the kernel forwards",
                             configuration.mavlink ? "MAVLink" : "dds"));
  }
}

std::optional<ReadOrigin> read_origin(YamlReader& physics) {
  auto origin = physics.optional_child("origin");
  if (auto scene = origin ? std::nullopt : physics.optional_child("scene")) {
    origin = scene->optional_child("origin");
  }
  if (!origin) {
    return std::nullopt;
  }
  constexpr Range<double> kLatitude{-90, 90, "-90 to 90 degrees, north positive"};
  constexpr Range<double> kLongitude{-180, 180, "-180 to 180 degrees, east positive"};
  return ReadOrigin{.place = {.lat_deg = require_within(*origin, "latitude", kLatitude).value_or(0),
                              .lon_deg = require_within(*origin, "longitude", kLongitude).value_or(0),
                              .alt_m = origin->optional<Metres>("altitude", Metres{}).value},
                    .has_altitude = origin->has("altitude")};
}

VehiclesConfig read_vehicles(YamlReader& physics) {
  VehiclesConfig config;
  if (const auto origin = read_origin(physics)) {
    config.origin = origin->place;
    config.origin_has_altitude = origin->has_altitude;
  }
  using mavlink::JumpPolicy;
  config.jumps = physics.choice<JumpPolicy>("jumps", {{"take", JumpPolicy::kTake}, {"refuse", JumpPolicy::kRefuse}},
                                            JumpPolicy::kTake);
  return config;
}

bool has_rssi_feeds(const Configuration& configuration) {
  return std::ranges::any_of(configuration.robots,
                             [](const RobotConfig& robot) { return robot.rssi_feed.has_value(); });
}

bool has_gnss(const Configuration& configuration) {
  return std::ranges::any_of(configuration.robots, [](const RobotConfig& robot) { return robot.gnss.has_value(); });
}

TapSettings tap_of(const Configuration& configuration) {
  std::vector<std::uint16_t> ports;
  if (configuration.mavlink) {
    ports = configuration.mavlink->ports;
  }
  for (const std::uint16_t domain : configuration.dds ? configuration.dds->domains : std::vector<std::uint16_t>{}) {
    ports.push_back(dds_announcement_port(domain));
  }
  return {.on = configuration.mavlink || configuration.dds || has_rssi_feeds(configuration) || has_gnss(configuration),
          .ports = std::move(ports)};
}

}  // namespace hilgate

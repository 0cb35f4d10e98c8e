// SPDX-License-Identifier: Apache-2.0
// mavlink:, dds:, and of robots system_id, positions_from, radio_status and rssi_feed.
#include <algorithm>
#include <utility>

#include "gateway/configuration/bodies.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

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

RssiFeedConfig read_feed_of(YamlReader& feed, const Configuration& configuration, const RobotConfig& robot) {
  constexpr Range<Nanoseconds> kEvery{1ms, 1h, "1ms to 1h"};
  RssiFeedConfig config;
  constexpr Range<std::uint16_t> kPort{1, 65535, "1 to 65535"};
  config.port = require_within(feed, "port", kPort).value_or(1);
  config.every = read_within(feed, "every", kEvery).value_or(std::max<Nanoseconds>(config.every, configuration.window));
  if (config.every < configuration.window) {
    feed.fault("every", fmt::format("'{}' is shorter than the window, within which links do not change",
                                    feed.required<std::string>("every")));
  }
  config.to = feed.optional<IpAddress>("to").value_or(robot.ips.empty() ? IpAddress{} : robot.ips.front());
  if (std::find(robot.ips.begin(), robot.ips.end(), config.to) == robot.ips.end()) {
    feed.fault(fmt::format("must be one of robot '{}'s addresses under `ip:`", robot.name));
  }
  config.from =
      feed.optional<IpAddress>("from").value_or(another_address(configuration.robots, robot, config.to.is_v4()));
  if (config.from == IpAddress{} || config.from.is_v4() != config.to.is_v4()) {
    feed.fault("misses the key 'from', a source address of the same IP version");
  }
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
    map.fault("positions_from", "needs `system_id`, by which this robot is told from others");
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
  auto feed = map.optional_child("rssi_feed");
  if (feed) {
    robot.rssi_feed = read_feed_of(*feed, configuration, robot);
    if (robot.macs.empty()) {
      map.fault("rssi_feed", "misses the key 'mac' of this robot, to which the datagrams are addressed");
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

TapSettings tap_of(const Configuration& configuration) {
  std::vector<std::uint16_t> ports;
  if (configuration.mavlink) {
    ports = configuration.mavlink->ports;
  }
  for (const std::uint16_t domain : configuration.dds ? configuration.dds->domains : std::vector<std::uint16_t>{}) {
    ports.push_back(dds_announcement_port(domain));
  }
  return {.on = configuration.mavlink || configuration.dds || has_rssi_feeds(configuration), .ports = std::move(ports)};
}

}  // namespace hilgate

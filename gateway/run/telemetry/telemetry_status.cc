// SPDX-License-Identifier: Apache-2.0
// What `hilgate status` shows of MAVLink, DDS and feeds.
#include "gateway/run/telemetry/telemetry.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

double milli(Nanoseconds duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

Json timesync_json(const mavlink::TimeSyncTrips& trips) {
  Json json{{"requests", trips.requests}, {"answers", trips.answers}};
  if (trips.answers > 0) {
    json["last_ms"] = milli(trips.last);
    json["least_ms"] = milli(trips.least);
    json["most_ms"] = milli(trips.most);
  }
  return json;
}

Json system_json(std::uint8_t system, const mavlink::SystemCounts& counts, Json robots, HostTime now) {
  Json json{{"system", system},
            {"robots", std::move(robots)},
            {"components", counts.components},
            {"version", counts.version},
            {"frames", counts.frames},
            {"lost", counts.lost},
            {"behind", counts.behind},
            {"wrong_crc", counts.wrong_crc},
            {"signed", counts.is_signed},
            {"from_other_robots", counts.from_others}};
  if (counts.frames > 0) {
    json["silent_s"] = milli(now - counts.last_heard) / 1e3;
  }
  if (counts.heartbeat) {
    json["type"] = counts.heartbeat->type;
    json["autopilot"] = counts.heartbeat->autopilot;
  }
  if (counts.timesync.requests > 0) {
    json["timesync"] = timesync_json(counts.timesync);
  }
  return json;
}

Json radio_json(const std::string& robot, const std::string& peer, std::uint16_t port, const RadioReports& told) {
  return {{"robot", robot},
          {"peer", peer},
          {"port", port},
          {"sent", told.sent},
          {"refused", told.refused},
          {"rssi", told.status.rssi},
          {"remrssi", told.status.remrssi},
          {"noise", told.status.noise},
          {"remnoise", told.status.remnoise},
          {"txbuf", told.status.txbuf},
          {"rxerrors", told.status.rxerrors}};
}

}  // namespace

Json Telemetry::vehicle_json(RobotIndex robot, HostTime now) const {
  const mavlink::Vehicles& vehicles = *gateway_.simulation.vehicles;
  const mavlink::VehicleCounts& counts = vehicles.counts(robot);
  const mavlink::Standing standing = vehicles.standing(robot, now);
  Json json{{"robot", gateway_.configuration.robots[robot.value()].name},
            {"state", mavlink::name(standing.state)},
            {"heard", vehicles.heard(robot)},
            {"positions", counts.positions},
            {"no_numbers", counts.no_numbers},
            {"no_fix", counts.no_fix},
            {"other_system", counts.other_system},
            {"jumps", counts.jumps},
            {"restarts", counts.restarts},
            {"lost_share", lost_share(robot)}};
  if (standing.clock_rate) {
    json["clock_rate"] = *standing.clock_rate;
  }
  if (standing.system) {
    json["system"] = *standing.system;
  }
  if (standing.place) {
    json["position_m"] = {standing.place->x, standing.place->y, standing.place->z};
    json["age_s"] = milli(standing.age) / 1e3;
  }
  return json;
}

// Of what it sent, to all others together.
double Telemetry::lost_share(RobotIndex robot) const {
  LinkCounts sum;
  for (std::uint32_t to = 0; to < gateway_.configuration.robots.size(); ++to) {
    const LinkCounts link = gateway_.plane.counts(gateway_.slots.link(robot, RobotIndex{to}));
    sum.released += link.released;
    sum.dropped.front() += link.dropped_total();
  }
  const auto done = static_cast<double>(sum.released + sum.dropped.front());
  return done > 0 ? static_cast<double>(sum.dropped.front()) / done : 0;
}

Json Telemetry::status() const {
  const Configuration& configuration = gateway_.configuration;
  if (!configuration.mavlink && !has_rssi_feeds(configuration)) {
    return nullptr;
  }
  Json json{{"missed", gateway_.plane.missed()}, {"systems", Json::array()}, {"vehicles", Json::array()},
            {"radio_status", Json::array()},     {"streams", Json::array()}, {"rssi_feeds", Json::array()}};
  const HostTime now = gateway_.clock.now();
  for (const auto& [system, counts] : systems_.all()) {
    Json robots = Json::array();
    for (const RobotIndex robot : counts.robots) {
      robots.push_back(name_of(robot));
    }
    json["systems"].push_back(system_json(system, counts, std::move(robots), now));
  }
  for (std::uint32_t i = 0; gateway_.simulation.vehicles != nullptr && i < configuration.robots.size(); ++i) {
    json["vehicles"].push_back(vehicle_json(RobotIndex{i}, now));
  }
  for (const auto& [flow, peer] : radios_.flows()) {
    if (peer.sent + peer.refused > 0) {
      json["radio_status"].push_back(radio_json(name_of(flow.robot), name_of(flow.peer), flow.ends.to_port, peer));
    }
  }
  for (const auto& [robot, peer] : radios_.streams()) {
    if (configuration.robots[robot.value()].radio_status) {
      json["streams"].push_back({{"robot", name_of(robot)}, {"peer", name_of(peer)}});
    }
  }
  for (const auto& [robot, host] : lines_.hosts()) {
    if (host.sent + host.refused > 0) {
      json["radio_status"].push_back(radio_json(name_of(robot), name_of(host.peer), 0, host));
    }
  }
  for (const auto& [robot, feed] : feeds_) {
    json["rssi_feeds"].push_back({{"robot", robot}, {"sent", feed.sent}, {"refused", feed.refused}});
  }
  return json;
}

Json Telemetry::dds_status() const {
  if (!gateway_.configuration.dds) {
    return nullptr;
  }
  Json json = participants_.json(gateway_.clock.now());
  json["missed"] = gateway_.plane.missed();
  return json;
}

}  // namespace hilgate

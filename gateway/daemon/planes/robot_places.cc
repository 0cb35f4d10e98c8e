// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/planes/robot_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hilgate {

namespace {

struct LinkEnd {
  std::string name;
  PortId port;
};

// Names of robots have no blanks, so those of access points are others.
std::vector<LinkEnd> ends_of(const Configuration& configuration) {
  std::vector<LinkEnd> ends;
  for (const RobotConfig& robot : configuration.robots) {
    ends.push_back({robot.name, robot.port});
  }
  if (const AccessNetworkConfig* network = access_network(configuration)) {
    for (const AccessPointConfig& point : network->access_points) {
      ends.push_back({"access point " + point.name, PortId{0}});
    }
  }
  return ends;
}

}  // namespace

RobotPlaces::RobotPlaces(const Configuration& configuration) : places_(link_ends(configuration) + kSpare) {
  for (const auto& [name, port] : ends_of(configuration)) {
    const auto id = static_cast<std::uint32_t>(place_of_.size());
    places_[id] = {name, port, id};
    place_of_.push_back(id);
  }
}

RobotPlaces RobotPlaces::changed(const Configuration& configuration) const {
  RobotPlaces next = *this;
  next.place_of_.clear();
  for (Place& place : next.places_) {
    place.id = TableRobots::kNone;
  }
  for (const LinkEnd& robot : ends_of(configuration)) {
    const auto id = static_cast<std::uint32_t>(next.place_of_.size());
    auto place = std::find_if(next.places_.begin(), next.places_.end(), [&robot](const Place& candidate) {
      return candidate.robot == robot.name && candidate.port == robot.port;
    });
    if (place == next.places_.end()) {
      place = std::find_if(next.places_.begin(), next.places_.end(),
                           [](const Place& candidate) { return candidate.robot.empty(); });
    }
    if (place == next.places_.end()) {
      throw std::runtime_error(
          fmt::format("robots.{}: no room; {} robots and access points can be added to a running gateway over its life "
                      "(moving one to another port counts); restart it",
                      robot.name, kSpare));
    }
    *place = {robot.name, robot.port, id};
    next.place_of_.push_back(static_cast<std::uint32_t>(place - next.places_.begin()));
  }
  return next;
}

PathSettings RobotPlaces::arrange(PathSettings settings) const {
  const std::vector<RobotEntry> robots = std::exchange(settings.robots, {});
  const auto stations = std::exchange(settings.air.stations, {});
  const std::vector<LinkRules> rules = std::exchange(settings.air.rules, {});
  const std::vector<AirRole> roles = std::exchange(settings.air.roles, {});
  settings.air.rules.resize(places_.size() * places_.size());
  for (const Place& place : places_) {
    const bool present = place.id != TableRobots::kNone;
    settings.robots.push_back(present ? robots[place.id] : RobotEntry{place.port, {}, {}, false});
    settings.air.stations.push_back(present ? stations[place.id] : std::nullopt);
    if (!roles.empty()) {
      settings.air.roles.push_back(present ? roles[place.id] : AirRole::kNone);
    }
    settings.table_places.push_back(place.id);
  }
  const auto count = static_cast<std::uint32_t>(robots.size());
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      settings.air.rules[link(RobotId{from}, RobotId{to}).value()] =
          rules[link_of(RobotId{from}, RobotId{to}, count).value()];
    }
  }
  return settings;
}

}  // namespace hilgate

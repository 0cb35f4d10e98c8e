// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/robot_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hilgate {

RobotPlaces::RobotPlaces(const Configuration& configuration) : places_(configuration.robots.size() + kSpare) {
  for (std::uint32_t id = 0; id < configuration.robots.size(); ++id) {
    places_[id] = {configuration.robots[id].name, configuration.robots[id].port, id};
    place_of_.push_back(id);
  }
}

RobotPlaces RobotPlaces::changed(const Configuration& configuration) const {
  RobotPlaces next = *this;
  next.place_of_.clear();
  for (Place& place : next.places_) {
    place.id = PathSettings::kNoRobot;
  }
  for (std::uint32_t id = 0; id < configuration.robots.size(); ++id) {
    const RobotConfig& robot = configuration.robots[id];
    auto place = std::find_if(next.places_.begin(), next.places_.end(), [&robot](const Place& candidate) {
      return candidate.robot == robot.name && candidate.port == robot.port;
    });
    if (place == next.places_.end()) {
      place = std::find_if(next.places_.begin(), next.places_.end(),
                           [](const Place& candidate) { return candidate.robot.empty(); });
    }
    if (place == next.places_.end()) {
      throw std::runtime_error(
          fmt::format("robots.{}: no room; {} robots can be added to a running gateway over its life "
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
  settings.air.rules.resize(places_.size() * places_.size());
  for (const Place& place : places_) {
    const bool present = place.id != PathSettings::kNoRobot;
    settings.robots.push_back(present ? robots[place.id] : RobotEntry{place.port, {}, {}, false});
    settings.air.stations.push_back(present ? stations[place.id] : std::nullopt);
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

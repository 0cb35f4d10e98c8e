// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/planes/robot_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

RobotSlots::RobotSlots(const Configuration& configuration) : slots_(link_ends(configuration) + kSpare) {
  std::uint32_t index = 0;
  for (const auto& [name, port] : ends_of(configuration)) {
    slots_[index] = {name, port, RobotIndex{index}};
    ++index;
  }
  table_ = by_number();
}

TableRobots RobotSlots::by_number() const {
  std::vector<OptionalIndex<RobotIndex>> by_slot;
  for (const Slot& slot : slots_) {
    by_slot.push_back(slot.index);
  }
  return TableRobots(std::move(by_slot));
}

RobotSlots RobotSlots::changed(const Configuration& configuration) const {
  RobotSlots next = *this;
  for (Slot& slot : next.slots_) {
    slot.index = {};
  }
  std::uint32_t index = 0;
  for (const LinkEnd& robot : ends_of(configuration)) {
    auto slot = std::find_if(next.slots_.begin(), next.slots_.end(), [&robot](const Slot& candidate) {
      return candidate.robot == robot.name && candidate.port == robot.port;
    });
    if (slot == next.slots_.end()) {
      slot = std::find_if(next.slots_.begin(), next.slots_.end(),
                          [](const Slot& candidate) { return candidate.robot.empty(); });
    }
    if (slot == next.slots_.end()) {
      throw std::runtime_error(
          fmt::format("robots.{}: no free slot; {} robots and access points can be added to a running gateway "
                      "(a move to another port counts as one); restart the gateway",
                      robot.name, kSpare));
    }
    *slot = {robot.name, robot.port, RobotIndex{index++}};
  }
  next.table_ = next.by_number();
  return next;
}

PathSettings RobotSlots::arrange(PathSettings settings) const {
  const std::vector<RobotEntry> robots = std::exchange(settings.robots, {});
  const auto stations = std::exchange(settings.air.stations, {});
  const std::vector<LinkRules> rules = std::exchange(settings.air.rules, {});
  const std::vector<AirRole> roles = std::exchange(settings.air.roles, {});
  settings.air.rules.resize(slots_.size() * slots_.size());
  for (const Slot& slot : slots_) {
    const auto index = slot.index ? std::make_optional(slot.index.value().value()) : std::nullopt;
    settings.robots.push_back(index ? robots[*index] : RobotEntry{slot.port, {}, {}, false});
    settings.air.stations.push_back(index ? stations[*index] : std::nullopt);
    if (!roles.empty()) {
      settings.air.roles.push_back(index ? roles[*index] : AirRole::kNone);
    }
  }
  settings.slots = table_;
  const auto count = static_cast<std::uint32_t>(robots.size());
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      settings.air.rules[link(RobotIndex{from}, RobotIndex{to}).value()] =
          rules[link_of(RobotIndex{from}, RobotIndex{to}, count).value()];
    }
  }
  return settings;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/capture_names.h"

#include <algorithm>

#include "frame/headers.h"

namespace hilgate {

CaptureNames::CaptureNames(const Configuration& configuration, const RobotSlots& slots)
    : ports(slots.ports().nowhere().value() + 1), robots(slots.table().slots()) {
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    ports[slots.ports().slot_of(PortIndex{i}).value()] = configuration.ports[i].name;
  }
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    const RobotConfig& robot = configuration.robots[i];
    robots[slots.table().slot_of(RobotIndex{i}).value()] = {robot.name, slots.ports().slot_of(robot.port), robot.macs};
  }
}

OptionalIndex<RobotId> CaptureNames::sender(PortId port, std::span<const std::byte> frame) const {
  constexpr std::size_t kSource = 6;
  OptionalIndex<RobotId> alone;
  std::size_t there = 0;
  for (std::uint32_t slot = 0; slot < robots.size(); ++slot) {
    const Robot& robot = robots[slot];
    if (robot.name.empty() || robot.port != port) {
      continue;
    }
    if (frame.size() >= kEthernetHeader &&
        std::ranges::find(robot.macs, MacAddress::from_wire(frame.data() + kSource)) != robot.macs.end()) {
      return RobotId{slot};
    }
    ++there;
    alone = RobotId{slot};
  }
  return there == 1 ? alone : OptionalIndex<RobotId>{};
}

}  // namespace hilgate

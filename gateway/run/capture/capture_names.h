// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frame/address.h"
#include "frame/frame.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/robot_slots.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// Who is who in the packet path, for people. Immutable.
struct CaptureNames {
  CaptureNames(const Configuration& configuration, const RobotSlots& slots);

  struct Robot {
    std::string name{};  // empty: nobody has the slot
    PortId port{};
    std::vector<MacAddress> macs{};
  };
  std::vector<std::string> ports;  // by PortId; empty: a free slot
  std::vector<Robot> robots;       // by slot

  [[nodiscard]] RobotId sender(LinkId link) const {
    return RobotId{static_cast<std::uint32_t>(link.value() / robots.size())};
  }
  [[nodiscard]] RobotId receiver(LinkId link) const {
    return RobotId{static_cast<std::uint32_t>(link.value() % robots.size())};
  }
  [[nodiscard]] const Robot& operator[](RobotId slot) const { return robots[slot.value()]; }
  /// Who sent a frame that came in by `port`: by its source address where several robots are there. Empty: nobody.
  [[nodiscard]] OptionalIndex<RobotId> sender(PortId port, std::span<const std::byte> frame) const;
};

}  // namespace hilgate

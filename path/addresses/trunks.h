// SPDX-License-Identifier: Apache-2.0
// Ports whose robots have a VLAN each, as on the uplink of a switch: the robot of each tag.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frame/drop_reason.h"
#include "frame/flat_table.h"
#include "frame/headers.h"
#include "path/addresses/directory.h"

namespace hilgate {

/// Answers for the packet loop; does not change after construction.
class Trunks {
 public:
  Trunks(std::span<const RobotEntry> robots, std::size_t ports);

  [[nodiscard]] bool is_trunk(PortSlot port) const { return place_[port.value()] != kNone; }
  /// Why a frame from a trunk has no sender; empty when its tag is that of a robot, and its source no other robot's.
  [[nodiscard]] std::optional<DropReason> refusal(PortSlot port, std::span<const std::byte> head) const;

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  std::vector<std::size_t> place_;                  // by PortSlot, in vlans_
  std::vector<std::bitset<kMaxVlanId + 1>> vlans_;  // of each trunk
  FlatTable<MacAddress, VlanId> vlan_of_;           // of robots with configured MACs
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "path/addresses/trunks.h"

#include <algorithm>

namespace hilgate {
namespace {

std::size_t configured_macs(std::span<const RobotEntry> robots) {
  std::size_t count = 0;
  for (const RobotEntry& robot : robots) {
    count += robot.macs.size();
  }
  return count;
}

}  // namespace

Trunks::Trunks(std::span<const RobotEntry> robots, std::size_t ports)
    : place_(ports, kNone), vlan_of_(configured_macs(robots)) {
  for (const RobotEntry& robot : robots) {
    if (!robot.present) {
      continue;
    }
    for (const MacAddress mac : robot.macs) {
      if (std::ranges::find(robot.shared, mac) == robot.shared.end()) {
        vlan_of_.insert(mac, robot.vlan);
      }
    }
    if (robot.vlan != 0) {
      std::size_t& place = place_[robot.port.value()];
      if (place == kNone) {
        place = vlans_.size();
        vlans_.emplace_back();
      }
      vlans_[place].set(robot.vlan);
    }
  }
}

std::optional<DropReason> Trunks::refusal(PortSlot port, std::span<const std::byte> head) const {
  if (head.size() < kEthernetHeader) {
    return DropReason::kRunt;
  }
  const auto control = vlan_control(head);
  const auto& known = vlans_[place_[port.value()]];
  if (!control || vlan_of(*control) > kMaxVlanId || !known[vlan_of(*control)]) {
    return DropReason::kUnknownVlan;
  }
  const VlanId* own = vlan_of_.find(MacAddress::from_wire(head.data() + 6));
  return own != nullptr && *own != vlan_of(*control) ? std::optional(DropReason::kSpoofedSender) : std::nullopt;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// What a robot's place behind its port asks of the frames that it is sent.
#pragma once

#include <cstddef>
#include <span>

#include "frame/address.h"
#include "frame/vlan.h"
#include "path/addresses/directory.h"

namespace hilgate {

struct Addressing {
  /// Takes the place of a group address, as access points do it: the others behind the port do not hear the frame, and
  /// least of all its sender, who would take an answer to itself for another's. Null: group addresses stay.
  MacAddress instead_of_group{};
  VlanId vlan = 0;  // whose tag the frame gets

  /// Whether any frame does not go out as it came in.
  [[nodiscard]] bool any() const { return vlan != 0 || instead_of_group != MacAddress{}; }
  /// Whether the frame does not go out as it came in. `head`: its first bytes, the Ethernet header at least.
  [[nodiscard]] bool changes(std::span<const std::byte> head) const { return vlan != 0 || replaces_address(head); }
  [[nodiscard]] bool replaces_address(std::span<const std::byte> head) const {
    return instead_of_group != MacAddress{} && MacAddress::from_wire(head.data()).is_group();
  }
};

inline Addressing addressing_of(const RobotEntry& robot) {
  return {.instead_of_group = robot.isolated && !robot.macs.empty() ? robot.macs.front() : MacAddress{},
          .vlan = robot.vlan};
}

}  // namespace hilgate

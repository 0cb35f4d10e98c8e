// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frame/id.h"

namespace hilgate::rosnetsim {

inline constexpr std::uint32_t kBroadcast = 0xFFFFFFFF;  // the reference's broadcast_address

/// "192.168.0.1" of 0xC0A80001.
std::string dotted(std::uint32_t address);

/// The robots' IPv4 addresses, by which ROS-NetSim knows them; in host byte order.
class Addresses {
 public:
  explicit Addresses(std::vector<std::uint32_t> by_robot);

  [[nodiscard]] std::optional<RobotIndex> robot_of(std::uint32_t address) const;
  /// 0 for an invalid index.
  [[nodiscard]] std::uint32_t of(RobotIndex robot) const { return knows(robot) ? by_robot_[robot.value()] : 0; }
  [[nodiscard]] bool knows(RobotIndex robot) const { return robot.value() < by_robot_.size(); }
  [[nodiscard]] std::size_t robots() const { return by_robot_.size(); }
  /// The address if it is a robot's, else that of `robot`.
  [[nodiscard]] std::uint32_t known(std::uint32_t address, RobotIndex robot) const {
    return robot_of(address) ? address : of(robot);
  }
  /// For people: "192.168.0.1, 192.168.0.2"; of many the first few.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::uint32_t> by_robot_;
  std::unordered_map<std::uint32_t, RobotIndex> robots_;
};

/// All robots: the broadcast address, or a multicast group.
constexpr bool is_group(std::uint32_t address) {
  return address >= 0xE000'0000 && (address < 0xF000'0000 || address == kBroadcast);
}

}  // namespace hilgate::rosnetsim

// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/rosnetsim/rosnetsim_addresses.h"

#include <utility>

#include <fmt/format.h>

namespace hilgate::rosnetsim {

std::string dotted(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xFF, address >> 8 & 0xFF, address & 0xFF);
}

Addresses::Addresses(std::vector<std::uint32_t> by_robot) : by_robot_(std::move(by_robot)) {
  for (std::uint32_t i = 0; i < by_robot_.size(); ++i) {
    robots_.emplace(by_robot_[i], RobotIndex{i});
  }
}

std::optional<RobotIndex> Addresses::robot_of(std::uint32_t address) const {
  const auto found = robots_.find(address);
  return found != robots_.end() ? std::optional(found->second) : std::nullopt;
}

std::string Addresses::text() const {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < by_robot_.size() && i < kMost; ++i) {
    text += (i > 0 ? ", " : "") + dotted(by_robot_[i]);
  }
  return by_robot_.size() > kMost ? text + ", ..." : text;
}

}  // namespace hilgate::rosnetsim

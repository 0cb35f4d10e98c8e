// SPDX-License-Identifier: Apache-2.0
// The source addresses of robots that have no configured ones. Each such robot has entries of its own, so that none can
// fill the table for others; a robot that claims an address that another has claimed, too, takes nothing from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"
#include "frame/flat_table.h"
#include "frame/id.h"

namespace hilgate {

template <>
struct FlatHash<MacAddress> {
  std::uint64_t operator()(MacAddress mac) const { return mac.value(); }
};

/// Used by one thread; does not allocate after construction.
class LearnedMacs {
 public:
  static constexpr std::size_t kMostClaims =
      4;  // of one address; further robots may send, and are reached by their IPs
  /// A full robot's address makes room for a new one when it was unused for this long.
  static constexpr Nanoseconds kLife = std::chrono::minutes(5);

  /// `open`: the robots without configured addresses.
  explicit LearnedMacs(std::span<const RobotSlot> open);

  /// Notes that `robot`, one of those given at construction, has sent from `mac` at `now`. True when this made an
  /// address two robots' that was one's alone.
  bool learn(MacAddress mac, RobotSlot robot, HostTime now);
  /// The robots that have sent from the address. Valid until the next learn().
  [[nodiscard]] std::span<const RobotSlot> claims(MacAddress mac) const;
  /// Takes over what another has learned of the robots that are here, too.
  void learn_from(const LearnedMacs& other);

 private:
  struct Claims {
    std::array<RobotSlot, kMostClaims> robots{};
    std::uint32_t count = 0;
    HostTime heard{};
  };
  struct Own {
    RobotSlot robot;
    std::vector<MacAddress> macs{};  // capacity reserved
    std::size_t oldest = 0;          // where room is looked for
  };

  [[nodiscard]] bool make_room(Own& own, HostTime now);
  void give_up(MacAddress mac, RobotSlot robot);

  std::size_t most_;  // of each robot
  FlatTable<MacAddress, Claims> table_;
  FlatTable<std::uint32_t, std::uint32_t> own_of_;  // by robot: index in owns_
  std::vector<Own> owns_;
};

}  // namespace hilgate

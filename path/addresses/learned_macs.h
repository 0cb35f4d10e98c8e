// SPDX-License-Identifier: Apache-2.0
// The source addresses of robots that have no configured ones, as a switch learns them: an address is at the robot that
// has sent from it last. Each such robot has entries of its own, so that none can fill the table for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  /// A full robot's address makes room for a new one when it was unused for this long.
  static constexpr Nanoseconds kLife = std::chrono::minutes(5);

  /// `open`: the robots without configured addresses.
  explicit LearnedMacs(std::span<const RobotSlot> open);

  /// Notes that `robot`, one of those given at construction, has sent from `mac` at `now`. Returns the robot that the
  /// address has moved from. A robot whose entries are full of addresses in use gets no further one.
  std::optional<RobotSlot> learn(MacAddress mac, RobotSlot robot, HostTime now);
  /// The robot that has sent from the address last.
  [[nodiscard]] std::optional<RobotSlot> robot_at(MacAddress mac) const;
  /// One of the addresses that the robot has.
  [[nodiscard]] std::optional<MacAddress> any_of(RobotSlot robot) const;
  /// Takes over what another has learned of the robots that are here, too.
  void learn_from(const LearnedMacs& other);

 private:
  struct Entry {
    RobotSlot robot;
    std::uint32_t place = 0;  // in the robot's Own::macs
    HostTime heard{};
  };
  struct Own {
    RobotSlot robot;
    std::vector<MacAddress> macs{};  // capacity reserved
    std::size_t oldest = 0;          // where room is looked for
  };

  [[nodiscard]] bool make_room(Own& own, HostTime now);
  void give_up(MacAddress mac);
  Own& own_of(RobotSlot robot) { return owns_[*own_of_.find(robot.value())]; }

  std::size_t most_;  // of each robot
  FlatTable<MacAddress, Entry> table_;
  FlatTable<std::uint32_t, std::uint32_t> own_of_;  // by robot: index in owns_
  std::vector<Own> owns_;
};

}  // namespace hilgate

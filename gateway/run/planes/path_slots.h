// SPDX-License-Identifier: Apache-2.0
// Which slot of the packet path each port has. Ports come and go with configurations; a slot that was left is given to
// another port when nothing is on its way to it any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frame/id.h"
#include "gateway/configuration/configuration.h"
#include "path/fate/table_robots.h"
#include "path/ports/port_plan.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// Immutable.
class PortSlots {
 public:
  /// Ports that a running gateway takes beyond those of its start.
  static constexpr std::size_t kSpare = 16;

  /// Of a gateway's first configuration: slots are in the order of its ports, and there are kSpare free ones.
  explicit PortSlots(const Configuration& configuration);

  /// Of another configuration. A port whose interface or device and modes are the same keeps its slot, whatever its
  /// name; any other port is a new one. `awaited` returns whether frames are in flight to a slot. Throws
  /// std::runtime_error: no slot is left, or a port would change its core.
  [[nodiscard]] PortSlots changed(const Configuration& configuration,
                                  const std::function<bool(PortSlot)>& awaited) const;

  [[nodiscard]] PortSlot slot_of(PortIndex port) const { return by_index_.at(port.value()); }
  /// None: no port of the newest configuration has it.
  [[nodiscard]] OptionalIndex<PortIndex> index_of(PortSlot slot) const { return slots_.at(slot.value()).index; }
  [[nodiscard]] bool in_use(PortSlot slot) const { return bool{index_of(slot)}; }
  /// A slot that never has a port.
  [[nodiscard]] PortSlot nowhere() const { return PortSlot{static_cast<std::uint32_t>(slots_.size() - 1)}; }
  [[nodiscard]] PortPlan plan(const Configuration& configuration) const;

 private:
  struct Slot {
    std::optional<PortConfig> port{};  // whose it is or was last
    std::size_t core = 0;
    OptionalIndex<PortIndex> index{};  // in the configuration
  };
  void put(PortSlot slot, PortIndex index, const PortConfig& port, std::size_t core);
  [[nodiscard]] std::optional<PortSlot> free_slot(const PortConfig& port, const PortSlots& before,
                                                  const std::function<bool(PortSlot)>& awaited) const;

  std::vector<Slot> slots_;
  std::vector<PortSlot> by_index_;
};

/// How many slots PortSlots makes.
std::size_t port_slots(const Configuration& configuration);

// Which slot of the packet path each robot has. Robots come and go with configurations, but a robot's links, counters
// and frames in flight stay in its slot.

/// Immutable. A slot that was left is kept for its robot, and given to another one only where no other is left and none
/// of its frames is on its way.
class RobotSlots {
 public:
  /// Robots that a running gateway takes beyond those of its start.
  static constexpr std::size_t kSpare = 16;
  /// Whether no delivery of a link is on its way.
  using Idle = std::function<bool(LinkSlot)>;

  /// Of a gateway's first configuration: slots are in the order of its robots, and there are kSpare empty ones.
  explicit RobotSlots(const Configuration& configuration);

  /// Of another configuration: robots keep their slots, by name and port, and new ones take empty ones. Throws
  /// std::runtime_error when there are not enough, or as PortSlots::changed().
  [[nodiscard]] RobotSlots changed(const Configuration& configuration, const Idle& idle) const;

  /// Robots and slots by number.
  [[nodiscard]] const TableRobots& table() const { return table_; }
  [[nodiscard]] LinkSlot link(RobotIndex from, RobotIndex to) const { return table_.slots_of(from, to); }
  [[nodiscard]] const PortSlots& ports() const { return ports_; }

  /// `settings` with its robots, rules and stations, which are by RobotIndex, moved to their slots.
  [[nodiscard]] PathSettings arrange(PathSettings settings) const;

 private:
  struct Slot {
    std::string robot{};  // empty: never used
    PortSlot port{};
    OptionalIndex<RobotIndex> index{};  // in the configuration
    bool at_rest = false;               // left, and nothing is on its way
  };
  [[nodiscard]] TableRobots by_number() const;
  [[nodiscard]] bool is_at_rest(std::uint32_t slot, const Idle& idle) const;
  [[nodiscard]] bool is_awaited(PortSlot port, const Idle& idle) const;
  [[nodiscard]] Slot* free_slot(const RobotSlots& before, bool several_cores);

  PortSlots ports_;
  std::vector<Slot> slots_;
  std::vector<RobotSlot> passed_on_;  // slots that another robot had before this configuration
  TableRobots table_;
};

}  // namespace hilgate

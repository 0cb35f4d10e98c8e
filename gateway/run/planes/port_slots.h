// SPDX-License-Identifier: Apache-2.0
// Which slot of the packet path each port has. Ports come and go with configurations; a slot that was left is given to
// another port when nothing is on its way to it any more.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "frame/id.h"
#include "gateway/configuration/configuration.h"
#include "path/ports/port_plan.h"

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

}  // namespace hilgate

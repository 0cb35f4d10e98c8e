// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "frame/frame.h"
#include "frame/port_config.h"

namespace hilgate {

/// A port of the newest configuration, and where it is in the path.
struct PlannedPort {
  PortConfig config;
  PortSlot slot{};
  std::size_t core = 0;  // whose loop has it
};

/// The ports of the newest configuration that are here, by PortIndex. A slot whose port is in none is free.
struct PortPlan {
  std::size_t slots = 0;  // fixed over changes
  std::vector<PlannedPort> ports{};
  std::vector<PortSlot> elsewhere{};  // slots of ports that other gateways of the site have

  /// By slot: the core of its port, `other` for those elsewhere; of a free one what `before` has.
  [[nodiscard]] std::vector<std::size_t> cores(std::vector<std::size_t> before, std::size_t other) const {
    for (const PlannedPort& port : ports) {
      before[port.slot.value()] = port.core;
    }
    for (const PortSlot slot : elsewhere) {
      before[slot.value()] = other;
    }
    return before;
  }
  /// The port of a slot; null: it is free.
  [[nodiscard]] const PlannedPort* at(PortSlot slot) const {
    const auto found =
        std::find_if(ports.begin(), ports.end(), [slot](const PlannedPort& port) { return port.slot == slot; });
    return found == ports.end() ? nullptr : &*found;
  }
};

}  // namespace hilgate

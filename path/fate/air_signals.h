// SPDX-License-Identifier: Apache-2.0
// Signal strengths between stations, as a medium needs them at run time: the newest link table, by slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "netsim_link/link_state.h"

namespace hilgate {

/// A view; the table must outlive it. Empty: every station hears every other, equally strong.
struct AirSignals {
  std::span<const LinkState> links{};                          // by LinkIndex
  std::span<const OptionalIndex<RobotIndex>> robot_of_slot{};  // TableRobots::by_slot()
  std::size_t robots = 0;                                      // of the table

  /// The link between two slots; null if absent.
  [[nodiscard]] const LinkState* between(std::uint32_t from, std::uint32_t to) const {
    if (links.empty()) {
      return nullptr;
    }
    const OptionalIndex<RobotIndex> sender = robot_at(from);
    const OptionalIndex<RobotIndex> receiver = robot_at(to);
    return sender && receiver ? &links[link_of(sender.value(), receiver.value(), robots).value()] : nullptr;
  }
  /// Power at `to` of what `from` sends.
  [[nodiscard]] float power_dbm(std::uint32_t from, std::uint32_t to) const {
    const LinkState* const link = between(from, to);
    constexpr float kNothing = -std::numeric_limits<float>::infinity();
    if (link == nullptr || (!link->reachable && link->rssi_dbm == 0)) {
      return links.empty() ? 0 : kNothing;
    }
    return link->rssi_dbm;
  }

 private:
  [[nodiscard]] OptionalIndex<RobotIndex> robot_at(std::uint32_t slot) const {
    return robot_of_slot.empty() ? RobotIndex{slot} : robot_of_slot[slot];
  }
};

}  // namespace hilgate

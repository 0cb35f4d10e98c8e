// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "path/air/infrastructure.h"

namespace hilgate {

/// Media whose stations are at several gateways of a site, and which gateways may decide each. All gateways compute the
/// same, since they have the same file.
struct SharedMedia {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Medium {
    std::string name;
    /// Gateways that have stations of it: first the one with most, of equal ones that which is first in the file.
    std::vector<std::uint32_t> deciders;
  };
  std::vector<Medium> media{};
  std::vector<std::uint32_t> of_robot{};  // index in `media`, or kNone; robots past its end have none
  /// The decider is appointed by the run (MediaDeciders::appoint), instead of chosen by presence.
  bool appointed = false;

  [[nodiscard]] std::uint32_t of(std::uint32_t robot) const {
    return robot < of_robot.size() ? of_robot[robot] : kNone;
  }
  /// Whether frames of the robot may be decided there in addition to its own gateway.
  [[nodiscard]] bool may_decide(std::uint32_t gateway, std::uint32_t robot) const;
};

/// `gateway_of` by robot, whose indices are their slots.
SharedMedia shared_media(const MediaGroups& groups, const std::vector<std::uint32_t>& gateway_of);

/// A network simulator that decides each frame of so many robots, and may be at any of the gateways.
SharedMedia judged_media(std::size_t robots, std::size_t gateways);

}  // namespace hilgate

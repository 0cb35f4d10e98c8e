// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "clock/time.h"
#include "frame/id.h"
#include "physics_link/mavlink/frame.h"

namespace hilgate {

/// Positions that the robots of a gateway report, for the other gateways of its site: of each system, component and
/// message the newest frame since the last time. Memory is bounded, and each robot's is its own. Control thread.
class SiteTelemetry {
 public:
  static constexpr std::size_t kMostOfRobot = 32;  // frames at a time; further systems of it are left out

  struct Heard {
    RobotIndex from{};
    SimTime at{};  // of its capture
    std::vector<std::byte> frame{};
  };

  void note(RobotIndex from, SimTime at, const mavlink::Frame& frame);
  /// What was noted since the last call, as texts.
  std::vector<std::string> take();
  /// Of a text of another gateway; nothing when it is invalid.
  static std::optional<std::vector<Heard>> read(std::string_view text);

 private:
  using Kind = std::tuple<std::uint8_t, std::uint8_t, std::uint32_t>;  // system, component, message

  std::map<RobotIndex, std::map<Kind, Heard>> newest_;
};

}  // namespace hilgate

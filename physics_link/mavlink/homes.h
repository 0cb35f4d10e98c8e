// SPDX-License-Identifier: Apache-2.0
// Which robot a MAVLink system is at home at.
//
// Ground stations, routers and autopilots pass on what others say, with the others' system ids (mavlink.io, "Routing"):
// a position in a robot's packet may be that of another. Who is heard first with an id has it, until the same frame
// shows that it had come from somewhere else: a copy has the sequence number and the checksum of the original, and is
// later. Two systems with one id differ in both, and the first has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "clock/time.h"
#include "frame/id.h"
#include "physics_link/mavlink/messages.h"

namespace hilgate::mavlink {

/// The source of a position, and its frame.
struct Author {
  std::uint8_t system = 0;
  std::uint8_t component = 1;  // MAV_COMP_ID_AUTOPILOT1
  std::uint32_t mark = 0;      // of the frame, its sequence and checksum; 0: not known
};
inline Author author_of(const Frame& frame) {
  return {frame.system, frame.component, 0x0100'0000U | (std::uint32_t{frame.sequence} << 16) | frame.crc};
}

/// Control thread. Memory is bounded.
class Homes {
 public:
  /// A message of `author` in a packet of `robot`, heard at `at`. True when something known by now is no more: a
  /// system's home, or that a robot has no ground station.
  bool note(RobotIndex robot, const Author& author, bool ground_station, SimTime at);

  /// Where the system is at home; empty while it was not heard.
  [[nodiscard]] std::optional<RobotIndex> of(std::uint8_t system) const { return systems_[system].home; }
  /// Whether some ground station is at home at the robot: what else its packets hold it passes on.
  [[nodiscard]] bool has_ground_station(RobotIndex robot) const;

 private:
  static constexpr std::size_t kFrames = 256;                         // of all systems
  static constexpr Nanoseconds kCopyLife = std::chrono::seconds(10);  // of sequences that come again

  struct System {
    std::optional<RobotIndex> home{};
    bool ground_station = false;
  };
  struct Heard {
    Author author{};
    RobotIndex robot{};
    SimTime at{};
  };
  [[nodiscard]] const Heard* same_frame(RobotIndex robot, const Author& author, SimTime at) const;

  std::array<System, 256> systems_{};
  std::array<Heard, kFrames> frames_{};
  std::size_t next_ = 0;
};

}  // namespace hilgate::mavlink

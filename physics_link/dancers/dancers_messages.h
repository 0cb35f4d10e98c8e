// SPDX-License-Identifier: Apache-2.0
// DANCERS' messages, between bytes and hilgate's words. Both of its links use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "physics_link/connection/gzip.h"
#include "physics_link/connection/protocol_fault.h"
#include "physics_link/dancers/dancers_version.h"
#include "physics_link/scene.h"

namespace hilgate::dancers {

enum class Kind : std::uint8_t { kBegin = 0, kEnd = 1, kClose = 2 };

struct Update {
  Kind kind = Kind::kBegin;
  std::string payload{};      // gzip of a PoseVector, or of what a peer's own version sends; empty: none
  bool of_network = false;    // whose payload it is; only in kTimed
  std::uint32_t time_ns = 0;  // of sim time, its lower 32 bits; only kTimed has it on the wire
};

/// An instant as in a TimedUpdate.
constexpr std::uint32_t low_time(SimTime at) {
  return static_cast<std::uint32_t>(at.time_since_epoch().count());
}

/// Appends the frame's body: gzip of the message, or nothing for v1.0's empty BEGIN.
void encode(const Update& update, Version version, Gzip& gzip, std::string& body);
/// Takes a frame's body of any version.
[[nodiscard]] MaybeFault decode(std::string_view body, Gzip& gzip, Update& update);

/// One agent of a PoseVector. DANCERS' connectors fill in only some of it: positions, waypoints or velocities.
struct AgentPose {
  std::uint32_t agent = 0;
  Pose pose{};
  Vec3 velocity{};  // m/s
  friend bool operator==(const AgentPose& a, const AgentPose& b) {
    return a.agent == b.agent && a.pose.position == b.pose.position && a.pose.orientation == b.pose.orientation &&
           a.velocity == b.velocity;
  }
};

/// A PoseVector, not yet packed. Read, agents that all say 0 are numbered in their order, as the versions before June
/// 2025 mean it.
void encode_poses(const std::vector<AgentPose>& agents, std::string& plain);
[[nodiscard]] MaybeFault decode_poses(std::string_view plain, std::vector<AgentPose>& agents);

/// Moves the robots that `agents` names; agent numbers are robot numbers. A quaternion of zeros (DANCERS never
/// sets it) leaves the orientation level. Unknown agents are a fault of kBadValue.
[[nodiscard]] MaybeFault place(const std::vector<AgentPose>& agents, Scene& scene);

}  // namespace hilgate::dancers

// SPDX-License-Identifier: Apache-2.0
// DANCERS' messages (wire-protocols 2.1, 2.2), between bytes and hilgate's words. Both of its links use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "physics_link/gzip.h"
#include "physics_link/scene.h"
#include "physics_link/wire_fault.h"

namespace hilgate::dancers {

enum class Kind : std::uint8_t { kBegin = 0, kEnd = 1, kClose = 2 };

struct Update {
  Kind kind = Kind::kBegin;
  std::string payload{};  // gzip of a PoseVector, or of what a peer's own version sends; empty: none
};

/// v1.0 writes a BEGIN without payload as a frame without body; the versions before do not know that shortcut.
enum class Version : std::uint8_t { kV1, kLegacy };

/// Appends the frame's body: gzip of the message, or nothing at all for v1.0's empty BEGIN.
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

/// A PoseVector, not yet packed.
void encode_poses(const std::vector<AgentPose>& agents, std::string& plain);
[[nodiscard]] MaybeFault decode_poses(std::string_view plain, std::vector<AgentPose>& agents);

/// Moves the robots that `agents` names; agent numbers are robot numbers. A quaternion of zeros (DANCERS never
/// sets it) leaves the orientation level. Agents nobody knows are a fault of kBadValue.
[[nodiscard]] MaybeFault place(const std::vector<AgentPose>& agents, Scene& scene);

}  // namespace hilgate::dancers

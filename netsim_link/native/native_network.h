// SPDX-License-Identifier: Apache-2.0
// The network side of the native protocol (docs/reference/native-protocol.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "netsim_link/link_state.h"
#include "netsim_link/verdict.h"
#include "physics_link/connection/protocol_fault.h"
#include "physics_link/scene.h"

namespace hilgate::native {

struct NetworkBegin {
  std::uint64_t window = 0;
  SimTime start{};
  Nanoseconds length{0};
};
/// `scene` may be null: nothing moved since the last one.
void encode(const NetworkBegin& begin, const Scene* scene, std::span<const CapturedPacket> packets, std::string& body);
/// For the simulator's side. `scene` is changed only when the message has one; then `has_scene` is set.
[[nodiscard]] MaybeFault decode(std::string_view body, std::size_t robots, NetworkBegin& begin, bool& has_scene,
                                Scene& scene, std::vector<CapturedPacket>& packets);

/// State of one link as a simulator sends it.
struct LinkUpdate {
  RobotIndex sender{};
  RobotIndex receiver{};
  LinkState state{};
};

struct NetworkEnd {
  std::uint64_t window = 0;
  std::vector<Verdict> verdicts{};
  std::vector<std::uint64_t> forget{};
  std::vector<LinkUpdate> links{};
};
void encode(const NetworkEnd& end, std::string& body);
/// Robot numbers from `robots` on are a fault of kBadValue; those entries are left out.
[[nodiscard]] MaybeFault decode(std::string_view body, std::size_t robots, NetworkEnd& end);

}  // namespace hilgate::native

// SPDX-License-Identifier: Apache-2.0
// ROS-NetSim's messages on the physics side, between bytes and hilgate's words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "physics_link/connection/protocol_fault.h"
#include "physics_link/scene.h"

namespace hilgate::rosnetsim {

struct PhysicsUpdate {
  bool end = false;            // BEGIN otherwise
  std::uint32_t window = 0;    // counter, wraps at 2^32
  std::string channel_data{};  // gzip of ChannelData; empty: none
};

/// The serialised message, without gzip and frame.
void encode(const PhysicsUpdate& update, std::string& plain);
[[nodiscard]] MaybeFault decode(std::string_view plain, PhysicsUpdate& update);

/// How to tell line of sight. The reference Gazebo's `los` field is wrong (1.11, fault 4), the reference dummy's
/// num_hops are random, so neither rule serves both.
enum class SightRule : std::uint8_t {
  kTwoHops,  // the first path has exactly two points: both ends and nothing between
  kLosField,
};

/// The scene as ChannelData, not yet packed: every pair that has paths or a state of sight, once.
void encode_channels(const Scene& scene, std::string& plain);

/// Replaces the poses and sights of `scene`, which keeps `robots` robots: nodes that are missing are at the origin. A
/// fault of kUnequalArrays or kBadValue leaves what could be used in `scene`.
[[nodiscard]] MaybeFault decode_channels(std::string_view plain, std::size_t robots, SightRule rule, Scene& scene);

// What is wrong with an answer's kind and window counter (time_val), on both links of ROS-NetSim.

/// A BEGIN where an END is due.
ProtocolFault no_end(std::uint32_t window, std::uint32_t asked);

/// An END with another counter than its BEGIN. The reference coordinator never looks at it, so this is soft: simulators
/// that leave it out, or count for themselves, work there.
ProtocolFault other_window(std::uint32_t window, std::uint32_t asked);

}  // namespace hilgate::rosnetsim

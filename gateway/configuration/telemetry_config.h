// SPDX-License-Identifier: Apache-2.0
// Configuration of MAVLink telemetry, of DDS observation, and of the feeds to robots.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"
#include "physics_link/mavlink/geodetic.h"
#include "physics_link/mavlink/vehicles.h"

namespace hilgate {

/// MAVLink is listened to where it passes.
struct MavlinkConfig {
  std::vector<std::uint16_t> ports;  // UDP and TCP, either end
};

/// UDP port on which participants of a domain announce themselves, by multicast (9.6.2.3).
constexpr std::uint16_t dds_announcement_port(std::uint16_t domain) {
  return static_cast<std::uint16_t>(7400 + 250 * domain);
}
constexpr std::uint16_t kLastDdsDomain = 232;  // the last with a port

/// Participants of DDS, and so processes of ROS 2, are listened for where they announce themselves.
struct DdsConfig {
  std::vector<std::uint16_t> domains;
};

/// Robots are at the positions of their MAVLink.
struct VehiclesConfig {
  std::optional<mavlink::Geodetic> origin;  // of the scene's frame; absent: where the first vehicle is
  bool origin_has_altitude = true;          // else the first vehicle with a global position is as high as its track
  mavlink::JumpPolicy jumps = mavlink::JumpPolicy::kTake;
};

/// JSON datagrams to a robot about its links in both directions.
struct RssiFeedConfig {
  IpAddress to;                                        // where it listens, an address of its own
  IpAddress from;                                      // source address of the datagrams
  std::uint16_t port = 0;                              // UDP, both ends
  Nanoseconds every = std::chrono::milliseconds(100);  // at least a window
};

}  // namespace hilgate

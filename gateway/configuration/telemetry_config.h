// SPDX-License-Identifier: Apache-2.0
// Configuration of MAVLink telemetry, of DDS observation, of the feeds to robots, of their positions to others, and of
// what their routers learn of links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"
#include "physics_link/dis/radio_pdus.h"
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

/// Where the datagrams of a feed to a robot go.
struct RobotFeedConfig {
  IpAddress to;            // where it listens, an address of its own
  IpAddress from;          // source address of the datagrams
  std::uint16_t port = 0;  // UDP, both ends
};

/// JSON datagrams to a robot about its links in both directions.
struct RssiFeedConfig : RobotFeedConfig {
  Nanoseconds every = std::chrono::milliseconds(100);  // at least a window
};

/// The error of a simulated GNSS receiver's positions, on each axis a Gauss-Markov process of first order.
struct GnssErrorConfig {
  double sigma_m = 0;          // standard deviation to the east, and to the north; [0, 1000]
  double sigma_up_m = 0;       // likewise upwards
  Nanoseconds correlation{0};  // [0, 1h]: after this time the correlation is 1/e; 0: errors are independent
};

/// NMEA 0183 datagrams to a robot with its own position, as from a GNSS receiver on it.
struct GnssConfig : RobotFeedConfig {
  Nanoseconds every = std::chrono::seconds(1);  // between two fixes, [100ms, 1s] and at least a window
  GnssErrorConfig error{};
};

/// A robot in Cursor on Target events.
struct CotRobotConfig {
  std::string uid;       // of the object, the same in all of its events
  std::string type;      // "a-f-G", a path in the type tree of MITRE's Cursor on Target schema
  std::string callsign;  // its name for people
};

/// Positions of robots as Cursor on Target events.
struct CotConfig {
  IpAddress to;  // of one host, or a multicast group
  std::uint16_t port = 0;
  Nanoseconds every = std::chrono::seconds(1);   // host time between two events of a robot, [100ms, 1h]
  Nanoseconds stale = std::chrono::seconds(10);  // an event is valid so long, at least `every`
  std::vector<CotRobotConfig> robots{};          // of bodies, in the order of Bodies
};

/// A robot's radio in PDUs of DIS.
struct DisRadioConfig {
  dis::RadioId id{};
  std::optional<dis::Emission> emission{};  // of the robot's profile; absent: it has none that can be read
};

/// Radios of robots as Transmitter and Receiver PDUs of DIS.
struct DisConfig {
  IpAddress to;  // of one host, a multicast group or a broadcast address
  std::uint16_t port = 0;
  std::uint8_t exercise = 1;
  Nanoseconds every = std::chrono::milliseconds(500);  // host time between two looks at a radio, [100ms, 2s]
  std::vector<DisRadioConfig> radios{};                // by RobotIndex
};

/// The gateway is the modem of a robot's router, and reports its links to it (DLEP, RFC 8175).
struct DlepConfig {
  std::string interface;                            // of this machine, that leads to the router
  std::uint16_t port = 854;                         // TCP, and UDP for discovery
  bool discovery = true;                            // answers Peer Discovery signals
  Nanoseconds heartbeat = std::chrono::seconds(5);  // the modem's interval, [100ms, 1h]

  friend bool operator==(const DlepConfig&, const DlepConfig&) = default;
};

}  // namespace hilgate

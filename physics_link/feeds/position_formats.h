// SPDX-License-Identifier: Apache-2.0
// How CORNET and the older co-simulators write positions, decoded. Nothing here does I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "physics_link/feeds/position_feed.h"

namespace hilgate {

/// CORNET 2.0 (3.1): set.<node>.setPosition("<x>,<y>,<z>"), as mininet-wifi's socket server takes it. Some senders put
/// single quotes inside the double ones. `reply` is what mininet-wifi answers.
struct Cornet2Command {
  std::optional<NamedPosition> position;
  std::string_view reply;
};
Cornet2Command parse_cornet2(std::string_view command);

/// CORNET of 2026 (3.3), one line of the positions socket: {"name", "x", "y", "z"}; missing coordinates are 0.
std::optional<NamedPosition> parse_cornet_position(std::string_view line);
/// One line of its clock socket: {"t": seconds}.
std::optional<SimTime> parse_cornet_clock(std::string_view line);

/// FlyNetSim (4): @@@U_<id3>***DISTANCE***<x>***<y>***; the robot's name is the three digits. Other messages: empty.
std::optional<NamedPosition> parse_flynetsim(std::string_view message);

/// AVENS (6): the attributes of each Aircraft under FANET, in the order of the file; names count from "0". Empty when
/// the text is no such file.
std::optional<std::vector<NamedPosition>> parse_avens(const std::string& xml);

}  // namespace hilgate

namespace hilgate::robonetsim {

// RoboNetSim's datagrams: raw C structs of x86-64, little-endian, with their padding.

enum class Type : std::int32_t {
  kSimulationInformation = 0,
  kApplicationData = 1,
  kReceivedData = 2,
  kNodePositions = 3,
  kStartFromRobot = 4,
  kNetworkSimInfo = 5,
  kMessageTypes = 6,
  kStop = 7,
};

/// The first four bytes; empty for a datagram that is shorter or of no known type.
std::optional<Type> type_of(std::string_view datagram);

struct SimulationInformation {
  std::int32_t robots = 0;
  double step_s = 0;
};

struct NodePositions {
  double timestamp_s = 0;
  std::vector<NamedPosition> nodes{};  // names are the ids in decimal
};
/// Nodes that the datagram announces but does not hold are left out.
std::optional<NodePositions> decode_positions(std::string_view datagram);

/// The same as the peer sends them.
std::string simulation_information(const SimulationInformation& information);
std::string node_positions(const NodePositions& positions);

/// The answer to SIMULATION_INFORMATION, 56 bytes; the peer's buffer has 100.
std::string network_sim_info(std::string_view name);

}  // namespace hilgate::robonetsim

// SPDX-License-Identifier: Apache-2.0
// RoboNetSim's datagrams: raw C structs of x86-64, little-endian, with their padding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "physics_link/feeds/position_feed.h"

namespace hilgate::robonetsim {

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
std::optional<SimulationInformation> decode_information(std::string_view datagram);

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

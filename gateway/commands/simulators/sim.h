// SPDX-License-Identifier: Apache-2.0
// hilgate sim physics|network: a simulator that follows a script, for tests and for people who try their gateway; and
// the simulators' ends of connections.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/simulator_config.h"
#include "netsim_link/network_codec.h"
#include "physics_link/connection/frame_connection.h"
#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/simulator_server.h"
#include "physics_link/dancers/dancers_protocol.h"

namespace hilgate {

/// Throws std::invalid_argument that lists what is known.
SimulatorProtocol parse_protocol(std::string_view text);

enum class SimKind : std::uint8_t { kPhysics, kNetwork };

struct SimOptions {
  SimKind kind = SimKind::kNetwork;
  SimulatorProtocol protocol = SimulatorProtocol::kNative;
  /// "unix:PATH" or "tcp:HOST:PORT"; empty: that of `run` (gateway/configuration/simulator_config.h).
  std::string socket{};
  std::string run{};  // the gateway's name; empty: the only one with a folder for sockets
  /// Connect or listen; empty: as this protocol's reference simulators do (rosnetsim listens, the others connect).
  std::optional<bool> listen{};
  std::uint32_t robots = 2;        // rosnetsim and dancers; native learns it from the gateway
  std::vector<std::string> ips{};  // rosnetsim network: dotted quads, by robot; empty: 10.77.0.1 and up
  Nanoseconds window{1'000'000};   // rosnetsim and dancers, whose wires carry no time
  Nanoseconds delay{0};            // network: from capture to release
  bool whole_delays = true;        // rosnetsim network: no release is early, whatever steps do to the delay
  double loss = 0;                 // network: probability, [0, 1]
  double ber = 0;                  // network: [0, 1)
  std::uint64_t seed = 1;
  dancers::Version dancers = dancers::Version::kV1;
  bool idle = false;  // physics: robots do not move and answers are empty
  bool once = true;   // end when the coordinator goes; false: wait for the next
  FaultInjection fault_injection{};
};

/// Runs until the coordinator is gone, or SIGINT or SIGTERM; the return value is the exit status: 0 when the
/// coordinator ended the run or went after it had begun, 1 when no peer connected or no message was valid. Throws
/// std::runtime_error for sockets and numbers that cannot be.
int sim_command(const SimOptions& options);

// The simulator's end of each protocol, made from the command line.

/// Where the simulator finds its gateway. Throws std::runtime_error.
LinkOptions simulator_link(const SimOptions& options);
std::unique_ptr<PhysicsCodec> simulator_physics_codec(const SimOptions& options);
/// Throws std::runtime_error for invalid addresses.
std::unique_ptr<NetworkCodec> simulator_network_codec(const SimOptions& options);

/// Logs what was wrong with a run that is over; nothing when that is empty.
void log_shortcoming(const std::string& what);

/// 10.77.0.1 and up, the addresses of the first examples; host byte order, by RobotIndex.
std::vector<std::uint32_t> default_robot_ips(std::uint32_t robots);

// hilgate serve: the radios of a configuration as the network simulator of an external coordinator.

struct ServeOptions {
  std::filesystem::path file;
  SimulatorProtocol protocol = SimulatorProtocol::kRosNetSim;  // or kNative; DANCERS carries no packets to decide about
  std::string socket{};                                        // as SimOptions
  std::string run{};                                           // as SimOptions; empty: the configuration's `name`
  std::optional<bool> listen{};
  bool once = false;  // end when the coordinator goes
};

/// Runs until SIGINT or SIGTERM; the return value is the exit status, as sim_command's. Throws ConfigError for the
/// file, std::runtime_error for robots without an IPv4 address and for sockets that cannot be had.
int serve_command(const ServeOptions& options);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// hilgate sim physics|network: a simulator that follows a script, for tests and for people who try their gateway.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/simulator_config.h"
#include "physics_link/connection/simulator_server.h"
#include "physics_link/dancers/dancers_messages.h"

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

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// hilgate serve: the radios of a configuration as the network simulator of an external coordinator.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gateway/commands/simulators/sim.h"

namespace hilgate {

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

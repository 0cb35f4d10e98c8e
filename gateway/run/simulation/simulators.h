// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/air_network.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/windows/window_options.h"
#include "netsim_link/local_network.h"
#include "netsim_link/network_simulator.h"
#include "physics_link/connection/connection_report.h"
#include "physics_link/physics.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

class PositionFeed;

/// Who moves the world and who decides about the air, as the window engine sees them: our own at once, others at the
/// other end of a socket.
struct Simulators {
  std::unique_ptr<PhysicsSimulator> physics;
  std::unique_ptr<NetworkSimulator> network;
  // The same, where they are local and can continue with another Simulation; else null.
  LocalPhysics* own_physics = nullptr;
  LocalNetwork* own_network = nullptr;
  AirNetwork* air = nullptr;           // in lockstep, with a netsim that publishes link states
  const PositionFeed* feed = nullptr;  // where positions are pushed to; null with physics of another kind
};

/// `simulation` must outlive the simulators. Throws std::runtime_error for sockets that cannot be had.
Simulators make_simulators(asio::io_context& context, const Configuration& configuration, const Simulation& simulation,
                           const ConnectionReporter& reporter);

/// How their windows follow each other.
WindowOptions window_options(const Configuration& configuration);

}  // namespace hilgate

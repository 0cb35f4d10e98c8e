// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/simulators.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gateway/configuration/bodies.h"
#include "gateway/run/simulation/gateway_ends.h"
#include "gateway/run/simulation/simulation.h"
#include "host/run_folder.h"
#include "netsim_link/local_network.h"
#include "path/addresses/directory.h"
#include "physics_link/carried_radios.h"
#include "physics_link/feeds/feed_physics.h"
#include "physics_link/obstacles.h"
#include "physics_link/physics.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kCompatHold = 50;  // windows, ROS-NetSim's reference

// The embedded one answers for the current window when no external simulator is involved.
bool all_ours(const Configuration& configuration) {
  return physics_simulator(configuration) == nullptr && external_netsim(configuration) == nullptr;
}

// No component acts on every window: no reference moves the boundaries, no link is decided in the kernel, no robot is
// notified of its links or of its position.
bool is_watched_now_and_then(const Configuration& configuration) {
  const ClockConfig& clock = configuration.clock;
  return !clock.automatic && clock.reference.kind == ReferenceKind::kMonotonic && !configuration.kernel_links &&
         !has_rssi_feeds(configuration) && !has_gnss(configuration);
}

// Simulators on these wires advance by one step a BEGIN and cannot leave any out: no time is on the wire.
bool counts_steps(const SimulatorConfig* simulator) {
  return simulator != nullptr && simulator->protocol != SimulatorProtocol::kNative;
}

GatewayEnd end_of(const Configuration& configuration, const SimulatorConfig& simulator, const char* name,
                  std::vector<std::string> robots) {
  GatewayEnd end{.protocol = simulator.protocol,
                 .robots = std::move(robots),
                 .step = simulator.step.count() > 0 ? simulator.step : configuration.window,
                 .dancers = simulator.dancers,
                 .sight_from_los_field = simulator.sight_from_los_field};
  for (const RobotConfig& robot : configuration.robots) {
    end.robot_ips.push_back(first_ipv4(robot.ips));
  }
  if (simulator.listen) {
    end.role = *simulator.listen ? ConnectionRole::kListen : ConnectionRole::kConnect;
  }
  if (const auto folder = std::filesystem::path(simulator.address.path).parent_path(); is_run_folder(folder)) {
    make_run_folder(folder);  // also for a simulator that listens, and may be of the group alone
  }
  // Of a site, another gateway may have it.
  const Nanoseconds patience = own_gateway(configuration) != nullptr ? Nanoseconds{0} : simulator.patience;
  end.link.link = {.name = name, .endpoint = simulator.address, .patience = patience};
  end.link.policy = configuration.late == LatePolicy::kHalt ? TroublePolicy::kFail : TroublePolicy::kResynchronise;
  end.link.answer_timeout = simulator.timeout;
  return end;
}

std::unique_ptr<PhysicsSimulator> make_physics(asio::io_context& context, const Configuration& configuration,
                                               const Simulation& simulation, const ConnectionReporter& reporter) {
  if (const SimulatorConfig* simulator = physics_simulator(configuration)) {
    return make_remote_physics(context, end_of(configuration, *simulator, "physics", names_in_physics(configuration)),
                               reporter);
  }
  if (const auto* feed = std::get_if<FeedConfig>(&configuration.external_physics)) {
    return feed->make(context, names_in_physics(configuration));
  }
  return std::make_unique<LocalPhysics>(*simulation.physics, all_ours(configuration) ? LocalPhysics::SceneAt::kStepBegin
                                                                                     : LocalPhysics::SceneAt::kStepEnd);
}

std::unique_ptr<NetworkSimulator> make_network(asio::io_context& context, const Configuration& configuration,
                                               const Simulation& simulation, const ConnectionReporter& reporter) {
  const ExternalNetsimConfig* netsim = external_netsim(configuration);
  if (netsim == nullptr) {
    return std::make_unique<LocalNetwork>(*simulation.netsim);
  }
  GatewayEnd end = end_of(configuration, netsim->simulator, "netsim", names_in_netsim(configuration));
  end.compat = netsim->compat;
  end.extensions = netsim->extensions;
  return make_remote_network(context, end, reporter);
}

}  // namespace

Simulators make_simulators(asio::io_context& context, const Configuration& configuration, const Simulation& simulation,
                           const ConnectionReporter& reporter) {
  Simulators simulators{.physics = make_physics(context, configuration, simulation, reporter),
                        .network = make_network(context, configuration, simulation, reporter)};
  simulators.own_physics = dynamic_cast<LocalPhysics*>(simulators.physics.get());
  simulators.own_network = dynamic_cast<LocalNetwork*>(simulators.network.get());
  if (const auto* fed = dynamic_cast<const FedPhysics*>(simulators.physics.get())) {
    simulators.feed = &fed->feed();
  }
  // Physics of our own has the obstacles already.
  if (Obstacles obstacles = obstacles_of(configuration); simulators.own_physics == nullptr && !obstacles.empty()) {
    simulators.physics = std::make_unique<ObstructedPhysics>(std::move(simulators.physics), std::move(obstacles));
  }
  // Physics of our own moves each radio on its body's track.
  if (const Bodies bodies(configuration.robots); simulators.own_physics == nullptr && bodies.any_shared()) {
    simulators.physics = std::make_unique<CarriedRadios>(
        std::move(simulators.physics),
        std::vector<std::uint32_t>(bodies.of_radios().begin(), bodies.of_radios().end()));
  }
  if (air_in_sim_time(configuration)) {
    auto air = std::make_unique<AirNetwork>(
        path_in_sim_time(configuration, simulation.air), static_cast<std::uint32_t>(configuration.robots.size()),
        std::move(simulators.network), first_links(configuration), AirAnswer::kVerdictsAndLinks);
    simulators.air = air.get();
    simulators.network = std::move(air);
  }
  return simulators;
}

WindowOptions window_options(const Configuration& configuration) {
  const SimulatorConfig* physics = physics_simulator(configuration);
  const ExternalNetsimConfig* netsim = external_netsim(configuration);
  WindowOptions options{.window = configuration.window,
                        .pace = configuration.pace,
                        .dilation = configuration.dilation,
                        .lag_one_window = !all_ours(configuration) && configuration.lag_one_window,
                        .links_at_once = netsim == nullptr,
                        .late = configuration.late,
                        .begin = configuration.begin.at,
                        .first_window = configuration.begin.window};
  options.pass_unchanged = all_ours(configuration) && is_watched_now_and_then(configuration);
  const bool all_count = counts_steps(physics) || (netsim != nullptr && counts_steps(&netsim->simulator));
  options.recovery = all_count ? Recovery::kCatchUp : Recovery::kSkip;
  options.physics_is_clock = configuration.pace == Pace::kFollow && configuration.follow.source == FollowSource::kSteps;
  options.without_waiting = own_gateway(configuration) != nullptr && is_air_external(configuration);
  if (physics != nullptr) {
    options.physics_step = physics->step;
  }
  if (netsim != nullptr) {
    options.network_step = netsim->simulator.step;
    options.packet_hold = netsim->expiry;
    if (netsim->compat) {
      options.packet_hold_windows = kCompatHold;
    }
  }
  return options;
}

}  // namespace hilgate

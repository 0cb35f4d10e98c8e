// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/simulators/serve.h"

#include <csignal>
#include <stdexcept>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <asio/signal_set.hpp>

#include "gateway/commands/simulators/simulator_ends.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/simulation/air_network.h"
#include "gateway/run/simulation/simulation.h"
#include "host/log/log.h"
#include "netsim_link/connection/network_codec.h"
#include "netsim_link/local_network.h"
#include "physics_link/connection/connection_report.h"
#include "physics_link/connection/simulator_server.h"

namespace hilgate {
namespace {

std::string ipv4_of(const RobotConfig& robot) {
  for (const IpAddress& ip : robot.ips) {
    if (ip.is_v4()) {
      return ip.text();
    }
  }
  throw std::runtime_error(
      fmt::format("robot {} has no IPv4 address, which identifies it in ROS-NetSim; add one to its `ip:`", robot.name));
}

// The coordinator has the pace.
Configuration served(Configuration configuration) {
  if (external_netsim(configuration) != nullptr) {
    throw std::runtime_error(fmt::format(
        "{}: netsim: another program decides there; `serve` offers the radio models, netsim: {{type: embedded}}",
        configuration.file.string()));
  }
  configuration.dilation = {};
  return configuration;
}

// Until the coordinator has sent the positions of robots.
LinkTable nothing_heard(const AirPlan& air) {
  LinkTable table;
  table.links.resize(air.rules.size(), LinkState{.reachable = false});
  return table;
}

SimOptions simulator_options(const ServeOptions& options, const Configuration& configuration) {
  SimOptions made{.kind = SimKind::kNetwork,
                  .protocol = options.protocol,
                  .socket = options.socket,
                  .run = options.run.empty() ? configuration.name : options.run,
                  .listen = options.listen,
                  .robots = static_cast<std::uint32_t>(configuration.robots.size()),
                  .window = configuration.window,
                  .whole_delays = false};
  if (options.protocol == SimulatorProtocol::kRosNetSim) {
    for (const RobotConfig& robot : configuration.robots) {
      made.ips.push_back(ipv4_of(robot));
    }
  }
  return made;
}

}  // namespace

int serve_command(const ServeOptions& options) {
  if (options.protocol == SimulatorProtocol::kDancers) {
    throw std::runtime_error("the DANCERS protocol carries no packets; `serve` supports rosnetsim and native");
  }
  const Configuration configuration = served(load_configuration(options.file, known_names()));
  const Simulation simulation = make_simulation(configuration);
  const SimOptions end = simulator_options(options, configuration);
  log_plainly(end.run);
  AirNetwork netsim(path_in_sim_time(configuration, simulation.air), end.robots,
                    std::make_unique<LocalNetwork>(*simulation.netsim), nothing_heard(simulation.air),
                    AirAnswer::kVerdicts);
  asio::io_context io(1);
  std::optional<ServedSimulator<NetworkCodec>> server;
  const auto over = [&](const std::string& why) {
    const bool sane = server->server().counters().count(LinkEventKind::kGaveUp) == 0;
    spdlog::log(sane ? spdlog::level::info : spdlog::level::err, "{}", why);
    if (options.once || !sane) {
      io.stop();
    } else {
      server->open();
    }
  };
  server.emplace(io, simulator_link(end), simulator_network_codec(end), netsim, FaultInjection{}, log_connection, over);
  server->open();
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](std::error_code error, int) {
    if (!error) {
      io.stop();
    }
  });
  io.run();
  log_shortcoming(server->shortcoming());
  return server->server().counters().frames_in > 0 ? 0 : 1;
}

}  // namespace hilgate

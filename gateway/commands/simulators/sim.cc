// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/simulators/sim.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <asio/signal_set.hpp>
#include <csignal>
#include <optional>
#include <stdexcept>

#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/configuration/simulator_config.h"
#include "gateway/run/simulation/air_network.h"
#include "gateway/run/simulation/simulation.h"
#include "host/log/log.h"
#include "netsim_link/dancers/dancers_network_codec.h"
#include "netsim_link/local_network.h"
#include "netsim_link/native/native_network_codec.h"
#include "netsim_link/network_codec.h"
#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"
#include "netsim_link/scripted_network.h"
#include "physics_link/connection/connection_report.h"
#include "physics_link/connection/physics_codec.h"
#include "physics_link/connection/simulator_server.h"
#include "physics_link/dancers/dancers_physics_codec.h"
#include "physics_link/native/native_physics_codec.h"
#include "physics_link/rosnetsim/rosnetsim_physics_codec.h"
#include "physics_link/scripted_physics.h"

namespace hilgate {
namespace {

// A simulator and the socket it serves, until the coordinator goes.
class Sim {
 public:
  Sim(asio::io_context& io, const SimOptions& options)
      : io_(io),
        options_(options),
        physics_({.robots = options.robots, .moves = !options.idle}),
        network_({.robots = options.robots,
                  .delay = options.delay,
                  .loss = options.loss,
                  .ber = options.ber,
                  .seed = options.seed}) {
    const auto over = [this](const std::string& why) { finish(why); };
    if (options.kind == SimKind::kPhysics) {
      physics_server_.emplace(io, simulator_link(options), simulator_physics_codec(options), physics_,
                              options.fault_injection, log_connection, over);
      physics_server_->open();
    } else {
      network_server_.emplace(io, simulator_link(options), simulator_network_codec(options), network_,
                              options.fault_injection, log_connection, over);
      network_server_->open();
    }
  }

  [[nodiscard]] std::string shortcoming() const { return network_server_ ? network_server_->shortcoming() : ""; }

  [[nodiscard]] int status() const {
    const ConnectionCounters& counters =
        physics_server_ ? physics_server_->server().counters() : network_server_->server().counters();
    const bool sane = counters.count(LinkEventKind::kFault) == 0;
    return counters.frames_in > 0 && sane ? 0 : 1;
  }

 private:
  void finish(const std::string& why) {
    spdlog::log(status() == 0 ? spdlog::level::info : spdlog::level::err, "{}", why);
    const bool come_again = !options_.once && status() == 0;
    if (!come_again) {
      io_.stop();
    } else if (physics_server_) {
      physics_server_->open();
    } else {
      network_server_->open();
    }
  }

  asio::io_context& io_;
  const SimOptions& options_;
  ScriptedPhysics physics_;
  ScriptedNetwork network_;
  std::optional<ServedSimulator<PhysicsCodec>> physics_server_;
  std::optional<ServedSimulator<NetworkCodec>> network_server_;
};

}  // namespace

SimulatorProtocol parse_protocol(std::string_view text) {
  if (text == "native") {
    return SimulatorProtocol::kNative;
  }
  if (text == "rosnetsim") {
    return SimulatorProtocol::kRosNetSim;
  }
  if (text == "dancers") {
    return SimulatorProtocol::kDancers;
  }
  throw std::invalid_argument(fmt::format("unknown protocol '{}'; allowed: native, rosnetsim, dancers", text));
}

int sim_command(const SimOptions& options) {
  log_plainly(options.run);
  asio::io_context io(1);
  Sim sim(io, options);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](std::error_code error, int) {
    if (!error) {
      io.stop();
    }
  });
  io.run();
  log_shortcoming(sim.shortcoming());
  return sim.status();
}

namespace {

std::uint32_t parse_ip(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) {
    throw std::runtime_error(fmt::format("'{}' is not an IPv4 address; example: 10.77.0.1", text));
  }
  return ntohl(address.s_addr);
}

std::vector<std::uint32_t> robot_ips(const SimOptions& options) {
  if (options.ips.empty()) {
    return default_robot_ips(options.robots);
  }
  std::vector<std::uint32_t> ips;
  for (const std::string& text : options.ips) {
    ips.push_back(parse_ip(text));
  }
  return ips;
}

NativeOptions native_options(const SimOptions& options) {
  const native::Role role = options.kind == SimKind::kPhysics ? native::Role::kPhysics : native::Role::kNetwork;
  return {.hello = {.role = role, .name = "hilgate sim"}, .peer = native::Role::kGateway};
}

Endpoint endpoint_of(const SimOptions& options, std::string_view usual) {
  if (!options.socket.empty()) {
    return Endpoint::parse(options.socket);
  }
  const std::string run = options.run.empty() ? only_run() : options.run;
  return {.is_unix = true, .path = run_socket(run, usual, RunSide::kSimulator)};
}

DancersOptions dancers_options(const SimOptions& options) {
  return {.robots = options.robots, .version = options.dancers, .step = options.window};
}

}  // namespace

std::vector<std::uint32_t> default_robot_ips(std::uint32_t robots) {
  std::vector<std::uint32_t> ips;
  for (std::uint32_t i = 0; i < robots; ++i) {
    ips.push_back(0x0A4D0001 + i);
  }
  return ips;
}

LinkOptions simulator_link(const SimOptions& options) {
  const bool physics = options.kind == SimKind::kPhysics;
  const bool listens = options.protocol == SimulatorProtocol::kRosNetSim ||
                       (options.protocol == SimulatorProtocol::kDancers && options.dancers != dancers::Version::kV1);
  const bool listen = options.listen.value_or(listens);
  return {.name = physics ? "physics simulator" : "network simulator",
          .endpoint = endpoint_of(options, physics ? kPhysicsSocket : kNetworkSocket),
          .role = listen ? ConnectionRole::kListen : ConnectionRole::kConnect};
}

std::unique_ptr<PhysicsCodec> simulator_physics_codec(const SimOptions& options) {
  switch (options.protocol) {
    case SimulatorProtocol::kRosNetSim:
      return std::make_unique<RosNetSimPhysicsCodec>(
          RosNetSimPhysicsOptions{.robots = options.robots, .window = options.window});
    case SimulatorProtocol::kDancers:
      return std::make_unique<DancersPhysicsCodec>(dancers_options(options));
    case SimulatorProtocol::kNative:
      break;
  }
  return std::make_unique<NativePhysicsCodec>(native_options(options));
}

std::unique_ptr<NetworkCodec> simulator_network_codec(const SimOptions& options) {
  switch (options.protocol) {
    case SimulatorProtocol::kRosNetSim:
      return std::make_unique<RosNetSimNetworkCodec>(
          RosNetSimNetworkOptions{.robot_ips = robot_ips(options),
                                  .extensions = true,
                                  .window = options.window,
                                  .listing = options.whole_delays ? Listing::kNotEarly : Listing::kInStep});
    case SimulatorProtocol::kDancers:
      return std::make_unique<DancersNetworkCodec>(dancers_options(options));
    case SimulatorProtocol::kNative:
      break;
  }
  return std::make_unique<NativeNetworkCodec>(native_options(options));
}

void log_shortcoming(const std::string& what) {
  if (!what.empty()) {
    spdlog::warn("{}", what);
  }
}

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

// SPDX-License-Identifier: GPL-2.0-only
// hilgate-ns3: a simulation by ns-3 as the network simulator of a gateway, over hilgate's own protocol or ROS-NetSim's.
#include <cmath>
#include <csignal>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>
#include <asio/signal_set.hpp>

#include "config/config_file.h"
#include "config/quantity.h"
#include "host/log/log.h"
#include "host/run_folder.h"
#include "netsim_link/native/native_network_codec.h"
#include "netsim_link/network_codec.h"
#include "netsim_link/ns3/exit_message.h"
#include "netsim_link/ns3/ns3_network.h"
#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"
#include "physics_link/connection/connection_report.h"
#include "physics_link/connection/simulator_server.h"

namespace hilgate::ns3net {
namespace {

constexpr int kUsageError = 2;
constexpr std::string_view kSocket = "netsim.sock";  // in the run's folder, as the gateway has it

struct Options {
  std::string scenario;
  std::string socket;
  std::string run;
  std::string protocol = "native";
  std::optional<bool> listen;
  std::string window = "1ms";
  std::string patience = "60s";
};

Endpoint endpoint_of(const Options& options) {
  if (!options.socket.empty()) {
    return Endpoint::parse(options.socket);
  }
  const std::string run = options.run.empty() ? only_run() : options.run;
  return {.is_unix = true, .path = run_folder(run, RunSide::kSimulator) / kSocket};
}

LinkOptions link_options(const Options& options) {
  const bool native = options.protocol == "native";
  return {.name = "hilgate-ns3",
          .endpoint = endpoint_of(options),
          .role = options.listen.value_or(!native) ? ConnectionRole::kListen : ConnectionRole::kConnect,
          .patience = parse_text<Nanoseconds>(options.patience)};
}

std::unique_ptr<NetworkCodec> make_codec(const Options& options, const Scenario& scenario) {
  if (options.protocol == "native") {
    return std::make_unique<NativeNetworkCodec>(NativeOptions{
        .hello = {.role = native::Role::kNetwork, .name = "hilgate-ns3"}, .peer = native::Role::kGateway});
  }
  std::vector<std::uint32_t> ips;
  for (const RobotNode& robot : scenario.robots) {
    ips.push_back(robot.ip);
  }
  return std::make_unique<RosNetSimNetworkCodec>(
      RosNetSimNetworkOptions{.robot_ips = ips, .extensions = true, .window = parse_text<Nanoseconds>(options.window)});
}

// Serves one gateway until it disconnects or a signal ends this program. Returns the exit status.
int serve(const Options& options, const Scenario& scenario, World& world) {
  Ns3Network network(world, scenario.robots.size());
  asio::io_context io(1);
  bool failed = false;
  std::optional<ServedSimulator<NetworkCodec>> server;
  const auto report = [&](const ConnectionEvent& event) {
    failed = failed || event.kind == LinkEventKind::kFault;
    log_connection(event);
  };
  const auto is_good = [&] { return server->server().counters().frames_in > 0 && !failed; };
  const auto over = [&](const std::string& why) {
    spdlog::log(is_good() ? spdlog::level::info : spdlog::level::err, "hilgate-ns3: {}",
                why.empty() ? "the gateway ended the run" : why);
    io.stop();
  };
  server.emplace(io, link_options(options), make_codec(options, scenario), network, FaultInjection{}, report, over);
  server->open();
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](std::error_code error, int) {
    if (!error) {
      io.stop();
    }
  });
  log_readiness(fmt::format("hilgate-ns3: ready: {} robots of {}", scenario.robots.size(), scenario.file));
  io.run();
  return is_good() ? 0 : 1;
}

int run(const Options& options) {
  log_plainly(options.run);
  const Scenario scenario = load_scenario(options.scenario);
  install_exit_message([file = scenario.file](const std::string& said) {
    const std::string& key = key_being_built();
    log_failure(key.empty() ? fmt::format("hilgate-ns3: ns-3 stopped the simulation of {}: {}", file, said)
                            : fmt::format("{}: {}: ns-3 refuses: {}", file, key, said));
    return key.empty() ? 1 : kUsageError;
  });
  std::optional<World> world;
  try {
    world.emplace(scenario);
  } catch (const ScenarioError& error) {
    log_failure(error.what());
    return kUsageError;
  } catch (const std::exception& error) {
    log_failure(fmt::format("{}: {}: ns-3 refuses: {}", scenario.file, key_being_built(), error.what()));
    return kUsageError;
  }
  return serve(options, scenario, *world);
}

int main_of(int argc, char** argv) {
  CLI::App program{"hilgate-ns3: run an ns-3 simulation as hilgate's network simulator", "hilgate-ns3"};
  Options options;
  program.add_option("SCENARIO", options.scenario, "scenario file (YAML)")->required();
  program.add_option("--protocol", options.protocol, "protocol: native or rosnetsim")
      ->check(CLI::IsMember({"native", "rosnetsim"}))
      ->capture_default_str();
  program.add_option("--socket", options.socket, "unix:PATH or tcp:HOST:PORT [the run's]");
  program.add_option("--run", options.run, "name of the run, for its socket [the only one]");
  program.add_flag_callback(
      "--listen", [&] { options.listen = true; }, "wait for the gateway to connect [rosnetsim]");
  program
      .add_flag_callback(
          "--connect", [&] { options.listen = false; }, "connect to the gateway [native]")
      ->excludes("--listen");
  program
      .add_option("--window", options.window, "window length, for rosnetsim, which does not transmit it: the gateway's")
      ->capture_default_str();
  program.add_option("--patience", options.patience, "time to wait for the gateway; 0s: no limit")
      ->capture_default_str();
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : kUsageError;
  }
  try {
    return run(options);
  } catch (const ConfigError& error) {
    log_failure(error.what());
    return kUsageError;
  } catch (const std::exception& error) {
    log_failure(fmt::format("hilgate-ns3: {}", error.what()));
    return 1;
  }
}

}  // namespace
}  // namespace hilgate::ns3net

int main(int argc, char** argv) {
  return hilgate::ns3net::main_of(argc, argv);
}

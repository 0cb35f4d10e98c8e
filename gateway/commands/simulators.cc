// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_windows.h"
#include "gateway/commands/command_line.h"
#include "gateway/commands/simulators/positions.h"
#include "gateway/commands/simulators/sim.h"

namespace hilgate {
namespace {

template <class Options>
void add_protocol_options(CLI::App& command, const std::shared_ptr<Options>& options) {
  add_word(command, "--protocol", "native, rosnetsim or dancers", [options](const std::string& name) {
    options->protocol = parse_protocol(name);
  })->required();
  command.add_option("--socket", options->socket, "unix:PATH or tcp:HOST:PORT [the run's]");
  command.add_option("--run", options->run, "name of the run, for its socket [sim: the only one; serve: FILE's]");
  command.add_flag_callback(
      "--listen", [options] { options->listen = true; }, "wait for the peer to connect");
  command
      .add_flag_callback(
          "--connect", [options] { options->listen = false; }, "connect to the peer")
      ->excludes("--listen");
}

void add_fault_injection(CLI::App& command, const std::shared_ptr<SimOptions>& options) {
  FaultInjection& fault_injection = options->fault_injection;
  add_duration(command, "--slow", fault_injection.slow, "time before every answer");
  const auto at = [&command](const char* name, std::optional<std::uint64_t>& when, const char* text) {
    command.add_option_function<std::uint64_t>(
        name, [&when](std::uint64_t window) { when = window; }, text);
  };
  at("--garbage-at", fault_injection.garbage_at, "answer BEGIN number N (from 0) with invalid bytes");
  at("--twice-at", fault_injection.twice_at, "answer BEGIN number N twice");
  at("--mute-at", fault_injection.mute_at, "never answer BEGIN number N");
  at("--die-at", fault_injection.die_at, "close the connection instead of answering BEGIN number N");
}

void add_sim_kind(CLI::App& sim, SimKind kind, Action& action) {
  const bool network = kind == SimKind::kNetwork;
  auto* command =
      sim.add_subcommand(network ? "network" : "physics",
                         network ? "Network simulator that applies --delay, --loss and --ber to every packet"
                                 : "Physics simulator whose robots move in circles");
  auto options = std::make_shared<SimOptions>();
  options->kind = kind;
  add_protocol_options(*command, options);
  command->add_option("--robots", options->robots, "number of robots")->capture_default_str();
  add_duration(*command, "--window", options->window, "window length, for protocols that do not transmit it [1ms]");
  command->add_option("--seed", options->seed, "seed of the random numbers")->capture_default_str();
  const std::map<std::string, dancers::Version> versions{
      {"1.0", dancers::Version::kV1}, {"2025", dancers::Version::kLegacy}, {"2024", dancers::Version::kTimed}};
  command
      ->add_option("--dancers", options->dancers,
                   "protocol version of DANCERS: 1.0, 2025 (since December 2024) or 2024 [1.0]")
      ->transform(CLI::CheckedTransformer(versions).description(""));
  command->add_flag_callback(
      "--stay", [options] { options->once = false; }, "wait for the next gateway when one disconnects");
  if (network) {
    command->add_option("--ip", options->ips, "rosnetsim: IPv4 address of a robot, in their order; may be repeated");
    add_duration(*command, "--delay", options->delay, "delay from capture to release [0s]");
    add_quantity<Probability>(*command, "--loss", "loss probability, for example 10 %",
                              [options](Probability loss) { options->loss = loss.value; });
    command->add_option("--ber", options->ber, "bit error rate")->check(CLI::Range(0.0, 1.0));
  } else {
    command->add_flag("--idle", options->idle, "robots stay where they are; answers are empty");
  }
  add_fault_injection(*command, options);
  command->callback([&action, options] { action = [options] { return sim_command(*options); }; });
}

void add_sim_positions(CLI::App& sim, Action& action) {
  auto* command = sim.add_subcommand("positions", "Sender of positions whose robots move in circles");
  auto options = std::make_shared<PositionsOptions>();
  add_word(*command, "--protocol", "cornet, cornet2, flynetsim, robonetsim or avens",
           [options](const std::string& name) { options->protocol = parse_position_protocol(name); })
      ->required();
  command->add_option(
      "--address", options->address,
      "where positions go: a socket (cornet), HOST:PORT, a ZeroMQ address (flynetsim) or the file (avens) "
      "[the original's; cornet: the run's]");
  command->add_option("--run", options->run, "cornet: name of the run, for its sockets [the only one]");
  command->add_option("--robots", options->robots, "number of robots")->capture_default_str();
  command->add_option("--name", options->names, "name of a robot, in their order; may be repeated");
  add_duration(*command, "--every", options->every, "time between two positions of a robot [20ms]");
  add_duration(*command, "--lap", options->lap, "time of a circle, by the sender's clock [60s]");
  command->add_option("--speed", options->speed, "speed of the sender's clock, for pace follow")
      ->check(CLI::Range(0.001, 100.0))
      ->capture_default_str();
  command->callback([&action, options] { action = [options] { return positions_command(*options); }; });
}

void add_sim(CLI::App& program, Action& action) {
  auto* sim = program.add_subcommand("sim", "Run a simple simulator to test a gateway with, optionally with faults");
  sim->require_subcommand(1);
  add_sim_kind(*sim, SimKind::kPhysics, action);
  add_sim_kind(*sim, SimKind::kNetwork, action);
  add_sim_positions(*sim, action);
}

void add_serve(CLI::App& program, Action& action) {
  auto* command =
      program.add_subcommand("serve", "Serve the radio models as the network simulator of an external coordinator");
  auto options = std::make_shared<ServeOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML) with the robots and their radios")->required();
  add_protocol_options(*command, options);
  command->add_flag("--once", options->once, "exit when the coordinator disconnects");
  command->callback([&action, options] { action = [options] { return serve_command(*options); }; });
}

}  // namespace

void add_simulators(CLI::App& program, Action& action) {
  add_sim(program, action);
  add_serve(program, action);
}

}  // namespace hilgate

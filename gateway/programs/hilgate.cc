// SPDX-License-Identifier: Apache-2.0
// hilgate: the command line. One function per command says what it takes; what it does is in gateway/commands.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/probe/probe.h"
#include "gateway/commands/check.h"
#include "gateway/commands/command_line.h"
#include "gateway/commands/guarded_main.h"
#include "gateway/commands/lab.h"
#include "gateway/commands/run.h"
#include "gateway/commands/set.h"
#include "gateway/commands/status.h"
#include "gateway/commands/wire.h"

namespace hilgate {
namespace {

constexpr int kUsageError = 2;

void add_check(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("check", "Validate a configuration; report every error with file and line");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("--scenario", options->scenario, "scenario file, checked instead of the configuration's own");
  command->add_option("--gateway", options->gateway,
                      "gateway of the site that checks; without, the whole file is checked");
  command->add_flag("--live", options->live, "also check this machine's interfaces and processors");
  command->callback([&action, options] { action = [options] { return check_command(*options); }; });
}

/// CLI11 2.1 leaves the separator in front of the words that it separates.
void drop_separator(std::vector<std::string>& command) {
  if (!command.empty() && command.front() == "--") {
    command.erase(command.begin());
  }
}

using LabCommand = int (*)(const LabOptions&);

void add_lab_command(CLI::App& lab, const char* name, const char* text, LabCommand run, Action& action) {
  auto* command = lab.add_subcommand(name, text);
  auto options = std::make_shared<LabOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML) with a `lab:` section")->required();
  if (run == lab_exec_command) {
    command->add_option("ROBOT", options->robot, "robot in whose namespace the command runs")->required();
    command->add_option("COMMAND", options->command, "command and its arguments, after --")->required();
    command->positionals_at_end();
  }
  command->callback([&action, options, run] {
    drop_separator(options->command);
    if (run == lab_exec_command && options->command.empty()) {
      throw CLI::RequiredError("COMMAND");
    }
    action = [options, run] { return run(*options); };
  });
}

void add_lab(CLI::App& program, Action& action) {
  auto* lab = program.add_subcommand("lab", "Manage network namespaces that stand for robots on this machine")
                  ->require_subcommand(1);
  add_lab_command(*lab, "up", "Create a namespace and a veth pair for every robot", lab_up_command, action);
  add_lab_command(*lab, "status", "Show whether the lab is as `up` made it; exit status 1 when it is not",
                  lab_status_command, action);
  add_lab_command(*lab, "exec",
                  "Run a command in a robot's namespace, where robots have their names (exec FILE ROBOT -- COMMAND...)",
                  lab_exec_command, action);
  add_lab_command(*lab, "down", "Remove what `up` created", lab_down_command, action);
}

void add_run(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("run", "Run the gateway in the foreground until SIGINT or SIGTERM");
  auto options = std::make_shared<RunOptions>();
  options->version = HILGATE_VERSION;
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("--gateway", options->gateway, "which gateway of the file's site this one is");
  command->add_option(
      "--scenario", options->scenario,
      "scenario file, played instead of the configuration's own; the run ends with it, with exit status "
      "1 when an expectation failed");
  add_quantity<Nanoseconds>(*command, "--from",
                            "time of the scenario (20s) to begin at, with links as they would be then",
                            [options](Nanoseconds from) { options->from = from; });
  command->callback([&action, options] { action = [options] { return run_command(*options); }; });
}

void add_status(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("status", "Show a running gateway: links, windows, clock, drops by reason");
  auto options = std::make_shared<StatusOptions>();
  command->add_option("RUN", options->run, "name of the run; optional when only one is running");
  auto* json = command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--watch", options->watch, "print it again each second")->excludes(json);
  command->add_option("--robot", options->robots, "only links, port and place of this robot; can be repeated");
  command->callback([&action, options] { action = [options] { return status_command(*options); }; });
}

void add_set(CLI::App& program, Action& action) {
  auto* command =
      program.add_subcommand("set", "Change values of a running gateway without losing a frame; all or none");
  auto options = std::make_shared<SetOptions>();
  command->add_option("--run", options->run, "name of the run; optional when only one is running");
  command
      ->add_option("VALUE", options->values,
                   "KEY=VALUE: a configuration key (window=2ms, robots.red.radio=wifi_11ac_80) or a link's key "
                   "(links.red.blue.delay=5ms, links.*.*.loss='0.1 %'); KEY= removes it")
      ->required();
  command->callback([&action, options] { action = [options] { return set_command(*options); }; });
}

void add_get(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("get", "Show the configuration of a running gateway, with what was set");
  auto options = std::make_shared<GetOptions>();
  command->add_option("--run", options->run, "name of the run; optional when only one is running");
  command->add_option("KEY", options->keys,
                      "key as for `set` (window, robots.red.radio, links.red.blue.delay); all without");
  command->callback([&action, options] { action = [options] { return get_command(*options); }; });
}

void add_reload(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("reload", "Reload the configuration file (same as SIGHUP)");
  auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "name of the run; optional when only one is running");
  command->callback([&action, run] { action = [run] { return reload_command(*run); }; });
}

void add_pause(CLI::App& program, Action& action) {
  for (const bool stand : {true, false}) {
    auto* command = program.add_subcommand(stand ? "pause" : "resume",
                                           stand ? "Stop the simulation time of a running gateway (pace dilate only)"
                                                 : "Continue the simulation time of a paused gateway");
    auto run = std::make_shared<std::string>();
    command->add_option("RUN", *run, "name of the run; optional when only one is running");
    command->callback([&action, run, stand] { action = [run, stand] { return pause_command(*run, stand); }; });
  }
}

template <class Options>
void on_probe(CLI::App& command, const std::shared_ptr<Options>& options, Action& action) {
  command.callback([&action, options] {
    try {
      check_probe(*options);
    } catch (const std::invalid_argument& error) {
      throw CLI::ValidationError(error.what());
    }
    action = [options] { return probe_command(*options); };
  });
}

void add_probe(CLI::App& program, Action& action) {
  auto* probe = program.add_subcommand("probe", "Measure one-way delay and loss between namespaces on this machine")
                    ->require_subcommand(1);
  auto* send = probe->add_subcommand("send", "Send probes at a constant rate");
  auto sending = std::make_shared<ProbeSendOptions>();
  send->add_option("--to", sending->to, "IP address of the receiver")->required();
  send->add_option("--port", sending->port, "UDP port of the receiver")->capture_default_str();
  add_duration(*send, "--interval", sending->interval, "interval between probes [10ms]");
  add_duration(*send, "--duration", sending->duration, "sending time [10s]");
  send->add_option("--size", sending->size, "UDP payload in bytes")->capture_default_str();
  on_probe(*send, sending, action);

  auto* receive = probe->add_subcommand("receive", "Receive one series of probes");
  auto receiving = std::make_shared<ProbeReceiveOptions>();
  receive->add_option("--port", receiving->port, "UDP port")->capture_default_str();
  receive->add_option("--csv", receiving->csv, "output file, one row per probe: sent_s,delay_s,sequence,lost");
  on_probe(*receive, receiving, action);
}

void add_wire(CLI::App& program, Action& action) {
  auto* wire = program.add_subcommand(
      "wire", "Connect the robots in the kernel, bypassing the simulation (manual fail-to-wire)");
  wire->require_subcommand(1);
  for (const bool on : {true, false}) {
    auto* command =
        wire->add_subcommand(on ? "on" : "off", on ? "Bypass the packet path" : "Return to the packet path");
    auto options = std::make_shared<WireOptions>();
    options->on = on;
    command->add_option("RUN", options->run, "name of a run whose ports have a fail mode")->required();
    command->callback([&action, options] { action = [options] { return wire_command(*options); }; });
  }
}

void add_close(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "close", "Put ports into their fail mode before their gateway runs, also while interfaces are down");
  auto options = std::make_shared<CloseOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->callback([&action, options] { action = [options] { return close_command(*options); }; });
}

void add_detach(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand(
      "detach", "Remove the XDP programs and maps that a stopped gateway's fail mode keeps in the kernel");
  auto options = std::make_shared<DetachOptions>();
  command->add_option("RUN", options->run, "name of the run")->required();
  command->callback([&action, options] { action = [options] { return detach_command(*options); }; });
}

void add_bench(CLI::App& program, Action& action) {
  auto* all = program.add_subcommand("bench", "Measure the gateway on this machine")->require_subcommand(1);
  add_bench_windows(*all, action);
  add_bench_links(*all, action);
  add_path_benches(*all, action);
  add_bench_stream(*all, action);
  for (const Bench& bench : benches()) {
    auto* command = all->add_subcommand(std::string(bench.name), std::string(bench.text));
    auto options = std::make_shared<BenchOptions>();
    options->bench = bench.name;
    command->add_flag("--json", options->json, "print JSON");
    command
        ->add_option_function<double>(
            "--seconds",
            [options](double seconds) {
              options->duration = std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
            },
            "total measuring time in seconds [12]")
        ->check(CLI::Range(1.0, 3600.0));
    command->callback([&action, options] { action = [options] { return bench_command(*options); }; });
  }
}

int run_program(int argc, char** argv) {
  CLI::App program{"hilgate: a hardware-in-the-loop packet gateway", "hilgate"};
  program.require_subcommand(1);
  program.set_version_flag("--version", "hilgate " HILGATE_VERSION);
  Action action;
  add_check(program, action);
  add_run(program, action);
  add_status(program, action);
  add_top(program, action);
  add_set(program, action);
  add_get(program, action);
  add_reload(program, action);
  add_pause(program, action);
  add_capture(program, action);
  add_extcap(program, action);
  add_record(program, action);
  add_replay(program, action);
  add_sweep(program, action);
  add_scenario(program, action);
  add_report(program, action);
  add_wire(program, action);
  add_close(program, action);
  add_detach(program, action);
  add_lab(program, action);
  add_probe(program, action);
  add_bench(program, action);
  add_certify(program, action);
  add_doctor(program, action);
  add_sim(program, action);
  add_serve(program, action);
  add_clock(program, action);
  add_metrics(program, action);
  add_web(program, action);
  add_radio(program, action);
  add_map(program, action);
  add_trace(program, action);
  add_survey(program, action);
  add_help(program, action);
  add_reference(program, action);
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  if (const std::string wrong = wrong_command(program, words.subspan(std::min<std::size_t>(1, words.size())));
      !wrong.empty()) {
    std::cerr << wrong << '\n';
    return kUsageError;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : kUsageError;
  }
  return action();
}

}  // namespace
}  // namespace hilgate

int main(int argc, char** argv) {
  return hilgate::guarded_main("hilgate", [&] { return hilgate::run_program(argc, argv); });
}

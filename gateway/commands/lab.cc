// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gateway/commands/lab.h"

#include "gateway/commands/command_line.h"
#include "gateway/commands/live_check.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/lab/lab_machine.h"
#include "gateway/lab/lab_record.h"
#include "gateway/run/control/control_client.h"
#include "host/confinement.h"
#include "host/interface_watch.h"
#include "xdp/kernel_path.h"

namespace hilgate {

struct LabOptions {
  std::filesystem::path file;
  std::string robot;                 // exec and shell
  std::vector<std::string> command;  // exec only
  bool wait = false;                 // exec and shell: for the run
};

namespace {

constexpr std::array<Capability, 2> kNamespaces = {Capability{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
                                                   Capability{CAP_NET_ADMIN, "CAP_NET_ADMIN"}};

LabPlan plan_of(const LabOptions& options) {
  return plan_lab(load_configuration(options.file, known_names()));
}

std::string line_of(const LabRobot& robot) {
  if (robot.machine && !robot.has_interface()) {
    return fmt::format("{}: namespace {}, {} at {}, {}", robot.robot, robot.netns, machine_kind(robot),
                       robot.tap ? robot.port_interface : robot.socket, fmt::join(robot.addresses, " "));
  }
  return fmt::format("{}: namespace {}, {} <-> {}, {}", robot.robot, robot.netns, robot.interface, robot.port_interface,
                     fmt::join(robot.addresses, " "));
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void print_made(const LabPlan& plan, const LabUp& up) {
  for (const LabRobot& robot : plan.robots) {
    const char* what = has(up.made, robot.robot)        ? ""
                       : has(up.completed, robot.robot) ? ": completed"
                                                        : ": is up already";
    fmt::print("{}{}\n", line_of(robot), what);
  }
  for (const std::string& name : up.left_over) {
    fmt::print("namespace {} is of a robot that the file does not have any more; it stays until `hilgate lab down`\n",
               name);
  }
  if (!up.made.empty() && is_listened_to(control_socket(plan.name))) {
    fmt::print("the run '{0}' has the robots of the file after `hilgate reload {0}`\n", plan.name);
  }
}

}  // namespace

void require_lab_rights(const std::string& command) {
  require_capabilities(command, kNamespaces);
}

LabUp make_lab(const Configuration& configuration, const LabPlan& plan) {
  if (auto faults = memory_faults(configuration); !faults.empty()) {
    throw ConfigError(std::move(faults));
  }
  if (const std::string few = few_neighbours(plan.robots.size()); !few.empty()) {
    fmt::print(stderr, "warning: {}\n", few);
  }
  return lab_up(plan);
}

std::vector<std::string> shell_command() {
  const char* const shell = std::getenv("SHELL");
  return {shell != nullptr && *shell == '/' ? shell : "/bin/sh"};
}

// `hilgate lab up|status|down|exec|shell`. Throw ConfigError or std::runtime_error; exec and shell return only when the
// command could not be run, with the status a shell gives then; status returns 1 when the lab is not as `up` makes it.
int lab_up_command(const LabOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  const LabPlan plan = plan_lab(configuration);
  require_lab_rights("hilgate lab up");
  print_made(plan, make_lab(configuration, plan));
  return 0;
}

int lab_status_command(const LabOptions& options) {
  const LabPlan plan = plan_of(options);
  require_lab_rights("hilgate lab status");
  const auto states = lab_state(plan);
  if (!states) {
    fmt::print("lab '{}' does not exist; `hilgate lab up` makes it\n", plan.name);
    return 1;
  }
  int problems = 0;
  bool can_be_added = true;
  for (std::size_t i = 0; i < states->size(); ++i) {
    const std::string& problem = (*states)[i].problem;
    const std::string more =
        (*states)[i].machine
            ? fmt::format("; {}/{}.output has its output", machine_folder(plan.name).string(), plan.robots[i].robot)
            : "";
    fmt::print("{}: {}{}\n", line_of(plan.robots[i]), problem.empty() ? "up" : problem, more);
    problems += problem.empty() ? 0 : 1;
    can_be_added = can_be_added && (problem.empty() || (*states)[i].can_be_added);
  }
  if (problems > 0) {
    fmt::print("lab '{}' is not as the file has it; {}\n", plan.name,
               can_be_added ? "`hilgate lab up` adds what is missing"
                            : "`hilgate lab down` and `hilgate lab up` make it anew");
  }
  return problems > 0 ? 1 : 0;
}

int lab_down_command(const LabOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  const LabPlan plan = plan_lab(configuration);
  require_lab_rights("hilgate lab down");
  if (has_fail_mode(configuration)) {
    const auto directory = kernel_path_directory(plan.name);
    if (!KernelPath::is_alive(directory)) {
      KernelPath::detach(directory);  // what a gateway has left
    }
  }
  fmt::print("lab '{}' {}\n", plan.name, lab_down(plan) ? "is removed" : "does not exist");
  return 0;
}

int lab_exec_command(const LabOptions& options) {
  const LabPlan plan = plan_of(options);
  const LabRobot& robot = lab_robot(plan, options.robot);
  require_lab_rights("hilgate lab exec");
  if (options.wait) {
    await_run(control_socket(plan.name), kRunPatience);
  }
  try {
    lab_exec(plan, robot, options.command);
  } catch (const CommandNotRun& error) {
    fmt::print(stderr, "hilgate: {}\n", error.what());
    return error.status();
  }
}

int lab_shell_command(const LabOptions& options) {
  LabOptions shell = options;
  shell.command = shell_command();
  return lab_exec_command(shell);
}

void drop_separator(std::vector<std::string>& command) {
  if (!command.empty() && command.front() == "--") {
    command.erase(command.begin());
  }
}

namespace {

using LabCommand = int (*)(const LabOptions&);

void add_lab_command(CLI::App& lab, const char* name, const char* text, LabCommand run, Action& action) {
  auto* command = lab.add_subcommand(name, text);
  auto options = std::make_shared<LabOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML) with a `lab:` section")->required();
  if (run == lab_exec_command || run == lab_shell_command) {
    command->add_option("ROBOT", options->robot, "robot in whose namespace the command runs")->required();
    command->add_flag("--wait", options->wait, "wait until the run forwards frames, a minute at most");
  }
  if (run == lab_exec_command) {
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

}  // namespace

void add_lab(CLI::App& program, Action& action) {
  auto* lab = program.add_subcommand("lab", "Manage network namespaces that stand for robots on this machine")
                  ->require_subcommand(1);
  add_lab_command(*lab, "up",
                  "Create a namespace and a veth pair for every robot that has none, and start its machine; those that "
                  "are there stay",
                  lab_up_command, action);
  add_lab_command(*lab, "status", "Show whether the lab is as `up` made it; exit status 1 when it is not",
                  lab_status_command, action);
  add_lab_command(*lab, "exec",
                  "Run a command in a robot's namespace, where robots have their names (exec FILE ROBOT -- COMMAND...)",
                  lab_exec_command, action);
  add_lab_command(*lab, "shell", "Open your shell in a robot's namespace, where robots have their names",
                  lab_shell_command, action);
  add_lab_command(*lab, "down", "Remove what `up` created", lab_down_command, action);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gateway/commands/command_line.h"
#include "gateway/commands/live_check.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/lab/lab.h"
#include "gateway/lab/lab_record.h"
#include "host/capabilities.h"
#include "host/link_watch.h"
#include "xdp/kernel_path.h"

namespace hilgate {

struct LabOptions {
  std::filesystem::path file;
  std::string robot;                 // exec only
  std::vector<std::string> command;  // exec only
};

namespace {

constexpr std::array<Capability, 2> kNamespaces = {Capability{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
                                                   Capability{CAP_NET_ADMIN, "CAP_NET_ADMIN"}};

LabPlan plan_of(const LabOptions& options) {
  return plan_lab(load_configuration(options.file, known_names()));
}

std::string line_of(const LabRobot& robot) {
  return fmt::format("{}: namespace {}, {} <-> {}, {}", robot.robot, robot.netns, robot.interface, robot.port_interface,
                     fmt::join(robot.addresses, " "));
}

}  // namespace

// `hilgate lab up|status|down|exec`. Throw ConfigError or std::runtime_error; exec returns only when the command could
// not be run, with the status a shell gives then; status returns 1 when the lab is not as `up` made it.
int lab_up_command(const LabOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  const LabPlan plan = plan_lab(configuration);
  require_capabilities("hilgate lab up", kNamespaces);
  if (auto faults = memory_faults(configuration); !faults.empty()) {
    throw ConfigError(std::move(faults));
  }
  if (const std::string few = few_neighbours(plan.robots.size()); !few.empty()) {
    fmt::print(stderr, "warning: {}\n", few);
  }
  lab_up(plan);
  for (const LabRobot& robot : plan.robots) {
    fmt::print("{}\n", line_of(robot));
  }
  return 0;
}

int lab_status_command(const LabOptions& options) {
  const LabPlan plan = plan_of(options);
  require_capabilities("hilgate lab status", kNamespaces);
  const auto states = lab_state(plan);
  if (!states) {
    fmt::print("lab '{}' does not exist; `hilgate lab up` makes it\n", plan.name);
    return 1;
  }
  int problems = 0;
  for (std::size_t i = 0; i < states->size(); ++i) {
    const std::string& problem = (*states)[i].problem;
    fmt::print("{}: {}\n", line_of(plan.robots[i]), problem.empty() ? "up" : problem);
    problems += problem.empty() ? 0 : 1;
  }
  if (problems > 0) {
    fmt::print("lab '{}' is not as it was made; `hilgate lab down` and `hilgate lab up` make it anew\n", plan.name);
  }
  return problems > 0 ? 1 : 0;
}

int lab_down_command(const LabOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  const LabPlan plan = plan_lab(configuration);
  require_capabilities("hilgate lab down", kNamespaces);
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
  require_capabilities("hilgate lab exec", kNamespaces);
  try {
    lab_exec(plan, robot, options.command);
  } catch (const CommandNotRun& error) {
    fmt::print(stderr, "hilgate: {}\n", error.what());
    return error.status();
  }
}

namespace {

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

}  // namespace

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

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/lab.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>

#include <array>
#include <utility>

#include "gateway/commands/live_check.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/lab/lab.h"
#include "gateway/lab/lab_state.h"
#include "host/capabilities.h"
#include "host/neighbour_table.h"
#include "xdp/kernel_path.h"

namespace hilgate {
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

}  // namespace hilgate

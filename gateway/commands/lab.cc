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
    fmt::print("{}: namespace {}, {} <-> {}, {}\n", robot.robot, robot.netns, robot.interface, robot.port_interface,
               fmt::join(robot.addresses, " "));
  }
  return 0;
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

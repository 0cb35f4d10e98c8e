// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/lab/lab_record.h"
#include "host/netns.h"
#include "xdp/interface.h"

namespace hilgate {
namespace {

std::string problem_of(const std::string& name) {
  const std::optional<Interface> interface = look_up_interface(name);
  return !interface            ? fmt::format("interface {} is gone", name)
         : !interface->up      ? fmt::format("interface {} is down", name)
         : !interface->carrier ? fmt::format("interface {} has no carrier", name)
                               : "";
}

std::string problem_of(const LabRecord& record, const LabRobot& robot) {
  const auto made = std::ranges::find(record.namespaces(), robot.netns, &LabRecord::Namespace::name);
  if (made == record.namespaces().end()) {
    return "the lab was made without this robot";
  }
  const std::uint64_t cookie = netns_cookie(robot.netns);
  if (cookie == 0) {
    return fmt::format("namespace {} is gone", robot.netns);
  }
  if (made->cookie != cookie) {
    return fmt::format("namespace {} is not the lab's any more", robot.netns);
  }
  const std::string at_port = problem_of(robot.port_interface);
  if (!at_port.empty()) {
    return at_port;
  }
  const NetnsScope inside(robot.netns);
  return problem_of(robot.interface);
}

}  // namespace

std::optional<std::vector<LabRobotState>> lab_state(const LabPlan& plan) {
  const auto record = LabRecord::load(plan.name);
  if (!record) {
    return std::nullopt;
  }
  std::vector<LabRobotState> states;
  for (const LabRobot& robot : plan.robots) {
    states.push_back({robot.robot, problem_of(*record, robot)});
  }
  return states;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/config_file.h"
#include "config/radio_name.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

LabRobot plan_robot(const RobotConfig& robot, const Configuration& configuration) {
  LabRobot plan;
  plan.robot = robot.name;
  plan.netns = fmt::format("hg-{}-{}", configuration.name, robot.name);
  plan.port_interface = configuration.ports[robot.port.value()].interface;
  plan.mac = robot.macs.empty() ? "" : robot.macs.front().text();
  for (const IpAddress& ip : robot.ips) {
    const auto prefix = ip.is_v4() ? configuration.lab->ipv4_prefix : configuration.lab->ipv6_prefix;
    plan.addresses.push_back(fmt::format("{}/{}", ip.text(), prefix));
    plan.ipv6 = plan.ipv6 || !ip.is_v4();
  }
  if (std::string radio = radio_part(robot); !radio.empty()) {
    plan.interface = std::move(radio);
  }
  for (const LabAttachment& attachment : configuration.lab->attach) {
    if (&configuration.robots[attachment.robot.value()] == &robot) {
      plan.attach = attachment.to;
      plan.interface = attachment.interface;
    }
  }
  return plan;
}

}  // namespace

LabPlan plan_lab(const Configuration& configuration) {
  if (!configuration.lab) {
    throw ConfigError({{configuration.file.string(), 0, "", "misses the `lab:` section, which `hilgate lab` needs"}});
  }
  LabPlan plan{configuration.name, configuration.lab->mtu, configuration.lab->quiet, {}};
  for (const RobotConfig& robot : configuration.robots) {
    if (configuration.ports[robot.port.value()].driver == PortDriver::kAfXdp) {  // others have no interface
      LabRobot planned = plan_robot(robot, configuration);
      const auto first = std::ranges::find_if(
          plan.robots, [&robot](const LabRobot& other) { return stands_for(robot.body, other.robot); });
      if (first != plan.robots.end() && !planned.attach) {
        planned.shares = first->netns;
      }
      plan.robots.push_back(std::move(planned));
    }
  }
  return plan;
}

const LabRobot& lab_robot(const LabPlan& plan, const std::string& name) {
  const auto found = std::find_if(plan.robots.begin(), plan.robots.end(),
                                  [&](const LabRobot& robot) { return stands_for(name, robot.robot); });
  if (found == plan.robots.end()) {
    std::vector<std::string> names;
    for (const LabRobot& robot : plan.robots) {
      names.push_back(robot.robot);
    }
    throw ConfigError({{"lab '" + plan.name + "'", 0, "", none_of(name, "robot", names)}});
  }
  return *found;
}

}  // namespace hilgate

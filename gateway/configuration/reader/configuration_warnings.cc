// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/reader/configuration_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "config/radio_name.h"

namespace hilgate {
namespace {

// Sockets that others than the simulator can take or reach.
std::string warning_of(const Endpoint& socket) {
  if (socket.is_unix && std::filesystem::path(socket.path).parent_path() == "/tmp") {
    return fmt::format(
        "{} is in /tmp: a service has a /tmp of its own, and any user may create the socket first; "
        "leave out `address` for a socket in /run/hilgate",
        socket.text());
  }
  return !socket.is_local() ? fmt::format("{} is on the network: any host there may connect", socket.text()) : "";
}

void warn_of_sockets(const Configuration& configuration, std::vector<std::string>& found) {
  const auto add = [&](const char* section, const Endpoint& socket) {
    if (const std::string text = warning_of(socket); !text.empty()) {
      found.push_back(fmt::format("{}: {}: {}", configuration.file.string(), section, text));
    }
  };
  if (const SimulatorConfig* physics = physics_simulator(configuration)) {
    add("physics", physics->address);
  }
  if (const ExternalNetsimConfig* netsim = external_netsim(configuration)) {
    add("netsim", netsim->simulator.address);
  }
}

// With pace follow, the factor that asks most of a slave.
Dilation served_pace(const Configuration& configuration) {
  return configuration.pace == Pace::kFollow
             ? Dilation{static_cast<std::uint32_t>(configuration.follow.options.slowest * 1e6)}
             : configuration.dilation;
}

// Robots of a lab have no routes other than those of their own subnets; a robot with several radios has several.
void warn_of_subnets(const Configuration& configuration, std::vector<std::string>& found) {
  if (!configuration.lab || configuration.lab->ipv4_prefix == 0) {
    return;
  }
  const RobotConfig* first = nullptr;
  std::uint32_t subnet = 0;
  for (const RobotConfig& robot : configuration.robots) {
    const auto ip =
        std::find_if(robot.ips.begin(), robot.ips.end(), [](const IpAddress& each) { return each.is_v4(); });
    if (ip == robot.ips.end() || robot.name != robot.body) {
      continue;
    }
    const std::uint32_t own = ip->v4() >> (32U - configuration.lab->ipv4_prefix);
    if (first == nullptr) {
      first = &robot;
      subnet = own;
    } else if (own != subnet) {
      found.push_back(
          fmt::format("{}:{}: {}.ip: {} is in another subnet of /{} than {}: neither has a route to the "
                      "other",
                      configuration.file.string(), robot.line, robot_key(robot.name), ip->text(),
                      configuration.lab->ipv4_prefix, first->name));
    }
  }
}

}  // namespace

std::vector<std::string> warnings(const Configuration& configuration) {
  std::vector<std::string> found = configuration.old_keys;
  found.insert(found.end(), configuration.repeated_links.begin(), configuration.repeated_links.end());
  for (const PortConfig& port : configuration.ports) {
    if (const std::string_view about_ptp = warning(port.ptp); !about_ptp.empty()) {
      found.push_back(
          fmt::format("{}:{}: port '{}': {}", configuration.file.string(), port.line, port.name, about_ptp));
    }
  }
  for (const ServeConfig& serve : configuration.clock.serve) {
    for (const std::string& about_serving : warnings_of(serve, served_pace(configuration))) {
      found.push_back(fmt::format("{}:{}: clock.serve: {}", configuration.file.string(), serve.line, about_serving));
    }
  }
  warn_of_sockets(configuration, found);
  warn_of_subnets(configuration, found);
  return found;
}

}  // namespace hilgate

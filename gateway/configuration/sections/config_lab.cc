// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

bool has_ipv6(const Configuration& configuration) {
  return std::any_of(configuration.robots.begin(), configuration.robots.end(), [](const RobotConfig& robot) {
    return std::any_of(robot.ips.begin(), robot.ips.end(), [](const IpAddress& ip) { return !ip.is_v4(); });
  });
}

/// Of an IP packet: 68 B is the least that IPv4 allows (RFC 791), 1280 B IPv6 (RFC 8200, section 5).
std::uint32_t read_mtu(YamlReader& lab, bool ipv6) {
  const std::uint64_t least = ipv6 ? 1280 : 68;
  const std::string words = fmt::format("{} B to 9000 B{}", least, ipv6 ? ", because robots have IPv6 addresses" : "");
  const auto mtu = read_within(lab, "mtu", Range<Bytes>{{least}, {9000}, words});
  return static_cast<std::uint32_t>(mtu.value_or(Bytes{1500}).value);
}

/// A port of a lab is one veth pair, and that has one robot's end.
void check_one_robot_per_port(const YamlReader& lab, const Configuration& configuration) {
  std::vector<const RobotConfig*> on_port(configuration.ports.size(), nullptr);
  for (const RobotConfig& robot : configuration.robots) {
    if (robot.port.value() >= on_port.size()) {
      continue;
    }
    const RobotConfig*& other = on_port[robot.port.value()];
    if (other != nullptr) {
      lab.fault(fmt::format("robots '{}' and '{}' are both on port '{}'; in a lab every robot has a port of its own",
                            other->name, robot.name, configuration.ports[robot.port.value()].name));
    }
    other = &robot;
  }
}

std::string read_interface_of(YamlReader& one, const RobotConfig& robot) {
  const std::string radio = radio_part(robot);
  const auto interface = one.optional<std::string>("interface", radio.empty() ? LabAttachment{}.interface : radio);
  if (!is_interface_name(interface)) {
    one.fault("interface",
              fmt::format("'{}' is not an interface name; allowed: 1 to 15 characters without '/', ':' and "
                          "blanks",
                          shown(interface)));
  }
  return interface;
}

std::optional<LabAttachment> read_attachment(YamlReader& one, const Configuration& configuration, RobotIndex robot) {
  constexpr Range<std::uint32_t> kPid{1, 4'194'304, "1 to 4194304, the number of a process"};
  const auto pid = read_within(one, "pid", kPid);
  const auto container = one.optional<std::string>("container");
  LabAttachment attachment{
      .robot = robot, .to = {}, .interface = read_interface_of(one, configuration.robots[robot.value()])};
  if (one.has("pid") == one.has("container")) {
    one.fault("needs either `pid`, the number of a process, or `container`, a name that podman or docker knows");
    return std::nullopt;
  }
  if (container) {
    if (container->empty() || container->front() == '-') {
      one.fault("container", fmt::format("'{}' is not the name of a container", shown(*container)));
    }
    attachment.to = *container;
  } else {
    attachment.to = pid.value_or(1);
  }
  return attachment;
}

/// Of robots with an interface for it.
void read_attachments(YamlReader& lab, const Configuration& configuration, LabConfig& config) {
  const auto robots = names_of(configuration.robots);
  for (auto& [name, one] : lab.child("attach").entries()) {
    const auto place = radio_named(one, name, configuration);
    const auto attachment = place ? read_attachment(one, configuration, *place) : std::nullopt;
    if (!attachment) {
      continue;
    }
    const std::size_t port = configuration.robots[place->value()].port.value();
    if (port < configuration.ports.size() && configuration.ports[port].driver != PortDriver::kAfXdp &&
        configuration.ports[port].driver != PortDriver::kElsewhere) {
      one.fault(fmt::format("robot '{}' has no network interface to be attached by", shown(name)));
    }
    for (const LabAttachment& other : config.attach) {
      if (other.to == attachment->to && other.interface == attachment->interface) {
        one.fault("interface", fmt::format("'{}' is already the interface of robot '{}' there; give it another",
                                           other.interface, robots[other.robot.value()]));
      }
    }
    config.attach.push_back(*attachment);
  }
}

/// In a lab the interface of a radio has its name.
void check_radio_interfaces(const YamlReader& lab, const Configuration& configuration) {
  for (const RobotConfig& robot : configuration.robots) {
    const std::string radio = radio_part(robot);
    if (!radio.empty() && !is_interface_name(radio)) {
      lab.fault(
          fmt::format("radio '{}' of robot '{}' cannot be the name of an interface there, which has 1 to 15 "
                      "characters; choose a shorter name",
                      radio, robot.body));
    }
  }
}

}  // namespace

void read_lab(YamlReader& root, Configuration& configuration) {
  auto lab = root.optional_child("lab");
  if (!lab) {
    return;
  }
  LabConfig config;
  config.mtu = read_mtu(*lab, has_ipv6(configuration));
  if (auto prefix = lab->optional_child("prefix")) {
    constexpr Range<std::uint8_t> kIpv4{1, 32, "1 to 32"};
    constexpr Range<std::uint8_t> kIpv6{1, 128, "1 to 128"};
    config.ipv4_prefix = read_within(*prefix, "ipv4", kIpv4).value_or(config.ipv4_prefix);
    config.ipv6_prefix = read_within(*prefix, "ipv6", kIpv6).value_or(config.ipv6_prefix);
  }
  config.quiet = lab->optional<bool>("quiet", config.quiet);
  if (lab->has("attach")) {
    read_attachments(*lab, configuration, config);
  }
  check_one_robot_per_port(*lab, configuration);
  check_radio_interfaces(*lab, configuration);
  configuration.lab = config;
}

}  // namespace hilgate

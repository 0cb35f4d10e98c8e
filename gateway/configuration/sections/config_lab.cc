// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

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
  check_one_robot_per_port(*lab, configuration);
  configuration.lab = config;
}

}  // namespace hilgate

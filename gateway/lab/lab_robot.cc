// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_robot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <variant>

#include "config/config_file.h"
#include "config/radio_name.h"
#include "frame/address.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/robot_names.h"
#include "host/netns.h"
#include "host/offloads.h"
#include "host/process.h"
#include "xdp/interface.h"

namespace hilgate {
namespace {

LabRobot plan_robot(const RobotConfig& robot, const Configuration& configuration) {
  LabRobot plan;
  plan.robot = robot.name;
  plan.netns = fmt::format("hg-{}-{}", configuration.name, robot.name);
  const PortConfig& port = configuration.ports[robot.port.value()];
  plan.port_interface = port.interface;
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
  for (const LabMachine& machine : configuration.lab->machines) {
    if (&configuration.robots[machine.robot.value()] == &robot) {
      plan.machine = machine.as;
      plan.tap = std::holds_alternative<VmConfig>(machine.as) && port.driver == PortDriver::kAfXdp;
    }
  }
  if (port.driver == PortDriver::kDpdk) {
    plan.socket = port.dpdk.socket.path;
    plan.listens = !port.dpdk.socket.server;
  }
  return plan;
}

/// Robots of other ports have no interface here, and nothing that the lab starts.
bool is_in_lab(const RobotConfig& robot, const Configuration& configuration) {
  const PortDriver driver = configuration.ports[robot.port.value()].driver;
  const auto& machines = configuration.lab->machines;
  return driver == PortDriver::kAfXdp ||
         (driver == PortDriver::kDpdk && std::ranges::any_of(machines, [&](const LabMachine& machine) {
            return &configuration.robots[machine.robot.value()] == &robot;
          }));
}

}  // namespace

LabPlan plan_lab(const Configuration& configuration) {
  if (!configuration.lab) {
    throw ConfigError({{configuration.file.string(), 0, "", "misses the `lab:` section, which `hilgate lab` needs"}});
  }
  LabPlan plan{configuration.name, configuration.lab->mtu, configuration.lab->quiet, {}};
  for (const RobotConfig& robot : configuration.robots) {
    if (is_in_lab(robot, configuration)) {
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

namespace {

// Frames that wait at the robot for the gateway, as at a NIC; the kernel's default. Without a queue, a burst of more
// than the 256 frames of veth's ring would be lost before it reaches the air.
constexpr const char* kQueueFrames = "1000";

/// Writes /proc/sys/net/ipv6/conf/<interface>/<key> of the calling thread's namespace; nothing on a kernel without
/// IPv6.
void set_ipv6(const std::string& interface, const std::string& key, const std::string& value) {
  const auto path = std::filesystem::path("/proc/sys/net/ipv6/conf") / interface / key;
  if (!std::filesystem::exists(path.parent_path())) {
    return;
  }
  std::ofstream stream(path);
  if (!(stream << value << std::flush)) {
    throw std::runtime_error(fmt::format("cannot write {} to {}", value, path.string()));
  }
}

unsigned index_of_robot_end(const LabRobot& robot) {
  const NetnsScope inside(robot.netns);
  return if_nametoindex(robot.interface.c_str());
}

/// A process may have interfaces of its own.
void check_free(const LabRobot& robot) {
  if (index_of_robot_end(robot) != 0) {
    throw std::runtime_error(
        fmt::format("robot '{0}' has an interface {1} already; start its container with `--network none`, or give the "
                    "lab's end another name: `lab: {{attach: {{{0}: {{interface: ...}}}}}}`",
                    robot.robot, robot.interface));
  }
}

}  // namespace

void check_port_is_free(const LabRobot& robot) {
  if (if_nametoindex(robot.port_interface.c_str()) != 0) {
    throw std::runtime_error(
        fmt::format("interface '{}' for robot '{}' already exists and does not belong to this lab; remove it "
                    "with `ip link del {}`, or give the port another interface",
                    robot.port_interface, robot.robot, robot.port_interface));
  }
}

namespace {

void make_pair(const LabPlan& plan, const LabRobot& robot) {
  check_port_is_free(robot);
  const std::string mtu = std::to_string(plan.mtu);
  std::vector<std::string> command = {
      "ip",   "link", "add",  "name", robot.port_interface, "mtu", mtu, "numtxqueues", "1", "numrxqueues", "1",
      "type", "veth", "peer", "name", robot.interface,      "mtu", mtu, "numtxqueues", "1", "numrxqueues", "1"};
  if (!robot.mac.empty()) {
    command.insert(command.end(), {"address", robot.mac});
  }
  command.insert(command.end(), {"netns", robot.netns});
  run_or_throw(command);
}

/// Keeps the kernel at the robot's end from speaking unasked; the air then carries what programs send.
void hush(const LabRobot& robot) {
  for (const char* key : {"accept_dad", "dad_transmits", "router_solicitations", "accept_ra", "autoconf"}) {
    set_ipv6(robot.interface, key, "0");
  }
  if (!robot.ipv6) {
    set_ipv6(robot.interface, "disable_ipv6", "1");
  }
}

void add_address(const LabPlan& plan, const LabRobot& robot, const std::string& address) {
  std::vector<std::string> command = {"ip", "address", "replace", address, "dev", robot.interface};
  if (address.find(':') != std::string::npos) {
    set_ipv6(robot.interface, "disable_ipv6", "0");
    if (plan.quiet) {
      command.emplace_back("nodad");
    }
  }
  run_or_throw(command);
}

bool has_ipv4(const std::vector<std::string>& addresses) {
  return std::ranges::any_of(addresses, [](const auto& address) { return address.find(':') == std::string::npos; });
}

// The kernel removes them with the interface's last IPv4 address.
void add_routes(const LabRobot& robot) {
  // Of several interfaces the first has the one that counts. IPv6 has such a route on its own; without one, discovery
  // by multicast (mDNS, DDS) finds no way out.
  run_or_throw({"ip", "route", "append", "224.0.0.0/4", "dev", robot.interface});
  // Programs that call everybody on the link (autopilots, ground stations) find no way out either.
  run_or_throw({"ip", "route", "append", "255.255.255.255/32", "dev", robot.interface});
}

void add_addresses(const LabPlan& plan, const LabRobot& robot) {
  for (const std::string& address : robot.addresses) {
    add_address(plan, robot, address);
  }
  if (has_ipv4(robot.addresses)) {
    add_routes(robot);
  }
}

void bring_up(const std::string& interface) {
  if (const int error = set_interface_up(interface); error != 0) {
    throw std::runtime_error(fmt::format("interface {}: cannot be set up: {}", interface, std::strerror(error)));
  }
}

void set_up_robot_end(const LabPlan& plan, const LabRobot& robot) {
  const NetnsScope inside(robot.netns);
  bring_up("lo");
  if (plan.quiet) {
    hush(robot);
  }
  attach_pass_program(robot.interface);
  turn_offloads_off(robot.interface);
  run_or_throw({"tc", "qdisc", "add", "dev", robot.interface, "root", "pfifo", "limit", kQueueFrames});
  bring_up(robot.interface);
  add_addresses(plan, robot);
}

/// The gateway's end carries frames and has no voice of its own.
void set_up_port_end(const LabRobot& robot) {
  set_ipv6(robot.port_interface, "disable_ipv6", "1");
  turn_offloads_off(robot.port_interface);
  bring_up(robot.port_interface);
}

/// Setting an interface up, or a program at the other end, may bring features back.
void prove_offloads_off(const std::string& interface) {
  const auto on = offloads_on(interface);
  if (!on.empty()) {
    throw std::runtime_error(fmt::format("interface {}: the offload {} was switched on again", interface, on.front()));
  }
}

}  // namespace

void make_lab_tap(const LabPlan& plan, const LabRobot& robot, const std::function<void(unsigned)>& made) {
  check_port_is_free(robot);
  run_or_throw({"ip", "tuntap", "add", "dev", robot.port_interface, "mode", "tap"});
  made(if_nametoindex(robot.port_interface.c_str()));
  run_or_throw({"ip", "link", "set", "dev", robot.port_interface, "mtu", std::to_string(plan.mtu)});
  set_up_port_end(robot);
  prove_offloads_off(robot.port_interface);
}

void make_lab_link(const LabPlan& plan, const LabRobot& robot, const std::function<void(unsigned)>& made) {
  check_free(robot);
  make_pair(plan, robot);
  made(index_of_robot_end(robot));
  set_up_port_end(robot);
  set_up_robot_end(plan, robot);
  prove_offloads_off(robot.port_interface);
  const NetnsScope inside(robot.netns);
  prove_offloads_off(robot.interface);
}

namespace {

bool is_there(const LabRobot& robot, const std::string& address) {
  const auto wanted = IpAddress::parse(address.substr(0, address.find('/')));
  return std::ranges::any_of(interface_addresses(robot.interface), [&wanted](const IpBytes& bytes) {
    return wanted == IpAddress::from_wire_v6(reinterpret_cast<const std::byte*>(bytes.data()));
  });
}

bool is_one_of(const std::string& address, const std::vector<std::string>& all) {
  return std::ranges::find(all, address) != all.end();
}

// Of records of earlier versions nothing is known of what was given, and what is there is taken for it.
std::vector<std::string> missing_addresses(const LabRobot& robot, const std::vector<std::string>& given) {
  std::vector<std::string> missing;
  std::ranges::copy_if(robot.addresses, std::back_inserter(missing), [&](const std::string& address) {
    return !is_there(robot, address) || (!given.empty() && !is_one_of(address, given));
  });
  return missing;
}

std::vector<std::string> former_addresses(const LabRobot& robot, const std::vector<std::string>& given) {
  std::vector<std::string> former;
  std::ranges::copy_if(given, std::back_inserter(former), [&](const std::string& address) {
    return !is_one_of(address, robot.addresses) && is_there(robot, address);
  });
  return former;
}

bool has_other_mac(const LabRobot& robot, const Interface& interface) {
  const auto wanted = MacAddress::parse(robot.mac);
  return wanted && *wanted != MacAddress::from_wire(reinterpret_cast<const std::byte*>(interface.mac.data()));
}

}  // namespace

std::string difference_of_robot_end(const LabPlan& plan, const LabRobot& robot, const std::vector<std::string>& given) {
  const Interface interface = find_interface(robot.interface);
  if (const auto missing = missing_addresses(robot, given); !missing.empty()) {
    return fmt::format("interface {} has not the address {}", robot.interface, fmt::join(missing, " "));
  }
  if (const auto former = former_addresses(robot, given); !former.empty()) {
    return fmt::format("interface {} still has the address {}", robot.interface, fmt::join(former, " "));
  }
  if (has_other_mac(robot, interface)) {
    return fmt::format("interface {} has not the MAC address {}", robot.interface, robot.mac);
  }
  return interface.mtu != plan.mtu
             ? fmt::format("interface {} has the MTU {}, not {}", robot.interface, interface.mtu, plan.mtu)
             : "";
}

void complete_lab_link(const LabPlan& plan, const LabRobot& robot, const std::vector<std::string>& given) {
  const std::string mtu = std::to_string(plan.mtu);
  run_or_throw({"ip", "link", "set", "dev", robot.port_interface, "mtu", mtu});
  const NetnsScope inside(robot.netns);
  run_or_throw({"ip", "link", "set", "dev", robot.interface, "mtu", mtu});
  if (has_other_mac(robot, find_interface(robot.interface))) {
    run_or_throw({"ip", "link", "set", "dev", robot.interface, "address", robot.mac});
  }
  const bool had_ipv4 = given.empty() || has_ipv4(given);
  for (const std::string& address : missing_addresses(robot, given)) {
    add_address(plan, robot, address);
  }
  // Others of the network of a removed address stay.
  std::ofstream(fmt::format("/proc/sys/net/ipv4/conf/{}/promote_secondaries", robot.interface)) << 1;
  for (const std::string& address : former_addresses(robot, given)) {
    run_or_throw({"ip", "address", "del", address, "dev", robot.interface});
  }
  if (!had_ipv4 && has_ipv4(robot.addresses)) {
    add_routes(robot);
  }
}

void remove_lab_tap(const std::string& interface, unsigned index) {
  const unsigned there = if_nametoindex(interface.c_str());
  if (there != 0 && (index == 0 || index == there)) {
    run_or_throw({"ip", "link", "del", "dev", interface});
  }
}

void remove_lab_link(const std::string& netns, const std::string& interface, unsigned index) {
  const NetnsScope inside(netns);
  const unsigned there = if_nametoindex(interface.c_str());
  if (there != 0 && (index == 0 || index == there)) {
    run_or_throw({"ip", "link", "del", "dev", interface});
  }
}

}  // namespace hilgate

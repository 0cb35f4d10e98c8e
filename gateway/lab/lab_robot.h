// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/configuration/configuration.h"

namespace hilgate {

/// The robot's side of a lab link, unless the robot has one of that name itself.
inline constexpr const char* kRobotInterface = "eth0";

/// What a robot is that is there already: a process, or a container of podman or docker.
using LabProcess = std::variant<std::uint32_t, std::string>;

/// One robot as a network namespace: a veth pair between a port of the gateway and an interface inside. Of a robot with
/// `radios` each radio is one; they are interfaces of one namespace, which has a name for each of them.
struct LabRobot {
  std::string robot;
  std::string netns;                        // hg-<run name>-<robot>
  std::string port_interface;               // the gateway's end
  std::string mac;                          // empty: the kernel chooses
  std::vector<std::string> addresses;       // with prefix length
  bool ipv6 = false;                        // has an IPv6 address
  std::optional<LabProcess> attach{};       // whose namespace it is; empty: one that the lab makes
  std::string interface = kRobotInterface;  // the robot's end; a radio's has the radio's name
  std::string shares{};                     // netns of another radio of the robot, whose namespace it is; empty: own
  std::optional<std::variant<VmConfig, ContainerConfig>> machine{};  // that the lab starts in the namespace
  bool tap = false;      // the gateway's end is a TAP device, of the virtual machine; there is no robot's end
  std::string socket{};  // of a port in memory that is shared with the machine, absolute; there is neither end
  bool listens = false;  // the machine listens at the socket, and the gateway connects

  /// A virtual machine's address and MAC address are its own, within.
  [[nodiscard]] bool has_interface() const { return !tap && socket.empty(); }
};

struct LabPlan {
  std::string name;
  std::uint32_t mtu = 1500;
  bool quiet = true;
  std::vector<LabRobot> robots;
};

/// What `hilgate lab` makes of a configuration. Throws ConfigError when the file has no `lab:` section: without it,
/// the ports are real interfaces in use.
LabPlan plan_lab(const Configuration& configuration);

/// The robot or radio of that name; of a robot with several radios the first one's, in whose namespace all are. Throws
/// ConfigError, listing the robots, for an unknown name.
const LabRobot& lab_robot(const LabPlan& plan, const std::string& name);

/// Throws std::runtime_error when there is an interface with the name of the robot's port.
void check_port_is_free(const LabRobot& robot);

/// Makes a virtual machine's TAP device in the caller's namespace, and sets it up; `made(index)` as below. Throws
/// std::runtime_error.
void make_lab_tap(const LabPlan& plan, const LabRobot& robot, const std::function<void(unsigned)>& made);

/// Makes a robot's veth pair into its namespace, which exists, and sets both ends up: offloads off and proven off,
/// addresses, MTU, an XDP program at the robot's end (see attach_pass_program). Throws std::runtime_error.
/// `made(index)` is called with the index of the robot's end as soon as there is one.
void make_lab_link(const LabPlan& plan, const LabRobot& robot, const std::function<void(unsigned)>& made);

/// The differences of the robot's end, which is up, from the plan: addresses, MTU, MAC address; empty: no difference.
/// `given`: the addresses that the lab gave it before. In the robot's namespace.
std::string difference_of_robot_end(const LabPlan& plan, const LabRobot& robot, const std::vector<std::string>& given);

/// Adds what is missing at both ends, and removes addresses that were given and are not the robot's any more. Other
/// additions stay. Throws std::runtime_error.
void complete_lab_link(const LabPlan& plan, const LabRobot& robot, const std::vector<std::string>& given);

/// Removes a TAP device of the caller's namespace as remove_lab_link() does a pair.
void remove_lab_tap(const std::string& interface, unsigned index);

/// Removes the pair with the end `interface` at once, both ends; nothing happens when it is gone, or when the interface
/// has another index than `index`, where that is not 0. (With the namespace alone it would go too, but some time
/// later.)
void remove_lab_link(const std::string& netns, const std::string& interface, unsigned index);

}  // namespace hilgate

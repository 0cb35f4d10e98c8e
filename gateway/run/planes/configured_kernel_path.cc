// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/configured_kernel_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "gateway/run/planes/configured_path.h"
#include "gateway/run/planes/robot_slots.h"
#include "xdp/af_xdp_port.h"
#include "xdp/interface.h"

namespace hilgate {

std::vector<KernelRobot> kernel_robots(std::span<const RobotEntry> slots) {
  std::vector<KernelRobot> robots;
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    if (slots[i].line) {
      continue;
    }
    if (slots[i].present && slots[i].macs.empty()) {
      robots.push_back(KernelRobot::without_address(RobotSlot{i}, slots[i].port));
    }
    for (const MacAddress mac : slots[i].macs) {
      robots.push_back({mac, RobotSlot{i}, slots[i].port});
    }
  }
  return robots;
}

std::unique_ptr<KernelPath> configured_kernel_path(const Configuration& configuration) {
  if (!has_fail_mode(configuration)) {
    return nullptr;
  }
  const PortSlots slots(configuration);
  // Its tables of links are the square of the robots: nothing to have for nothing.
  const std::size_t ends = configuration.kernel_links ? link_ends(configuration) + RobotSlots::kSpare : 1;
  const auto trunks = std::ranges::count_if(configuration.ports, [](const PortConfig& port) { return port.trunk; });
  auto path =
      std::make_unique<KernelPath>(KernelPathConfig{.directory = kernel_path_directory(configuration.name),
                                                    .ports = static_cast<std::uint32_t>(port_slots(configuration)),
                                                    .robots = static_cast<std::uint32_t>(ends),
                                                    .trunks = static_cast<std::uint32_t>(trunks),
                                                    .cores = configuration.cores.size(),
                                                    .stale = configuration.heartbeat_stale},
                                   kernel_robots(configured_robots(configuration, slots)));
  // All of them before the first program: what it forwards arrives.
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    if (configuration.ports[i].driver == PortDriver::kElsewhere) {
      continue;
    }
    if (const auto interface = look_up_interface(configuration.ports[i].interface)) {
      path->set_port(PortSlot{i}, interface->index);
    }
  }
  return path;
}

void set_wired(const Configuration& configuration, bool wired) {
  if (!has_fail_mode(configuration)) {
    throw std::runtime_error("the kernel connects robots whose ports have a fail mode; no port of this run has one");
  }
  KernelPath::set_wired(kernel_path_directory(configuration.name), wired);
}

std::vector<std::string> close_ports(const Configuration& configuration) {
  std::vector<std::string> closed;
  if (!has_fail_mode(configuration)) {
    return closed;
  }
  if (KernelPath::is_alive(kernel_path_directory(configuration.name))) {
    throw std::runtime_error(fmt::format("run '{}' is active and uses its own ports", configuration.name));
  }
  const std::unique_ptr<KernelPath> kernel = configured_kernel_path(configuration);
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    const PortConfig& port = configuration.ports[i];
    const std::optional<Interface> interface =
        port.fail == FailMode::kNone ? std::nullopt : look_up_interface(port.interface);
    if (interface) {
      XdpProgram program(*interface, {.kernel_pass = port.kernel_pass,
                                      .fail = port.fail,
                                      .ptp_served = port.ptp_served,
                                      .port = PortSlot{i},
                                      .kernel = kernel.get()});
      program.attach(port.xdp);
      KernelPort{.path = kernel.get(), .id = PortSlot{i}}.take_part(*interface, port.fail);
      closed.push_back(port.interface);
    }
  }
  return closed;
}

}  // namespace hilgate

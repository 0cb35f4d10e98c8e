// SPDX-License-Identifier: Apache-2.0
// What a kernel path knows of robots and links.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "xdp/kernel_path.h"
#include "xdp/kernel_path_files.h"
#include "xdp/possible_cpus.h"

namespace hilgate {
namespace {

hg_mac key_of(MacAddress mac) {
  hg_mac key{};
  for (unsigned i = 0; i < 6; ++i) {
    key.bytes[i] = static_cast<__u8>(mac.value() >> (8 * (5 - i)));
  }
  return key;
}

}  // namespace

void KernelPath::check_robots(const std::vector<KernelRobot>& robots) const {
  if (robots.size() > room_) {
    throw std::runtime_error(fmt::format(
        "robots: {} MAC addresses, but the table of the fail modes has room for {}; restart the gateway to enlarge it",
        robots.size(), room_));
  }
}

void KernelPath::set_robots(const std::vector<KernelRobot>& robots) {
  check_robots(robots);
  for (const KernelRobot& before : robots_) {
    const bool stays = std::any_of(robots.begin(), robots.end(),
                                   [&before](const KernelRobot& robot) { return robot.mac == before.mac; });
    const hg_mac key = key_of(before.mac);
    if (!stays && bpf_map_delete_elem(map("hg_macs"), &key) != 0) {
      fail_kernel_path(fmt::format("MAC {}", before.mac.text()), errno);
    }
  }
  for (const KernelRobot& robot : robots) {
    if (std::find(robots_.begin(), robots_.end(), robot) == robots_.end()) {
      add_robot(robot);
    }
  }
  robots_ = robots;
}

void KernelPath::add_robot(const KernelRobot& robot) {
  const hg_mac key = key_of(robot.mac);
  const hg_robot value{robot.robot.value(), robot.port.value()};
  if (bpf_map_update_elem(map("hg_macs"), &key, &value, BPF_ANY) != 0) {
    fail_kernel_path(fmt::format("MAC {}", robot.mac.text()), errno);
  }
}

void KernelPath::set_link(RobotId from, RobotId to, LinkDecision decision) {
  const std::uint32_t key = link(from, to);
  const auto value = static_cast<std::uint32_t>(decision);
  if (bpf_map_update_elem(map("hg_links"), &key, &value, BPF_ANY) != 0) {
    fail_kernel_path(fmt::format("link from robot {} to {}", from.value(), to.value()), errno);
  }
}

hg_counter KernelPath::link_counter(RobotId from, RobotId to) const {
  const std::uint32_t key = link(from, to);
  std::vector<hg_counter> per_cpu(possible_cpus());
  if (bpf_map_lookup_elem(map("hg_link_counters"), &key, per_cpu.data()) != 0) {
    fail_kernel_path(fmt::format("counter of the link from robot {} to {}", from.value(), to.value()), errno);
  }
  hg_counter sum{};
  for (const hg_counter& one : per_cpu) {
    sum.frames += one.frames;
    sum.bytes += one.bytes;
  }
  return sum;
}

std::uint32_t KernelPath::link(RobotId from, RobotId to) const {
  if (from.value() >= config_.robots || to.value() >= config_.robots) {
    fail_kernel_path(fmt::format("robot {} of {}", std::max(from, to).value(), config_.robots), ERANGE);
  }
  return from.value() * config_.robots + to.value();
}

}  // namespace hilgate

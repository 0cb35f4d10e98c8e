// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/configured_kernel_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>

#include "gateway/run/planes/configured_path.h"
#include "gateway/run/planes/path_slots.h"
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

void KernelLinks::use(const PathSettings& settings) {
  settings_ = settings;
  robots_ = settings.table_robots();
  links_.resize(settings.air.rules.size());
  suspend();
}

void KernelLinks::suspend() {
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    set(LinkSlot{link}, LinkDecision::kUser);
    links_[link].was_perfect = false;
  }
}

void KernelLinks::decide(const LinkTable& table, const Held& held) {
  const std::size_t slots = settings_.robots.size();
  for (std::uint32_t at = 0; at < links_.size(); ++at) {
    const std::size_t from = at / slots;
    const std::size_t to = at % slots;
    const OptionalIndex<LinkIndex> index = robots_.index_of(LinkSlot{at});
    if (!index || settings_.robots[from].port == settings_.robots[to].port || settings_.robots[from].vlan != 0 ||
        settings_.robots[to].vlan != 0 ||  // the kernel changes no tags
        (settings_.robots[from].body != 0 && settings_.robots[from].body == settings_.robots[to].body) ||
        settings_.air.role(from) != AirRole::kNone || settings_.air.role(to) == AirRole::kAccessPoint) {
      continue;
    }
    const LinkState& state = table.links[index.value().value()];
    Link& link = links_[at];
    const bool is_perfect = perfect(LinkSlot{at}, state);
    LinkDecision decision = state.reachable ? LinkDecision::kUser : LinkDecision::kDrop;
    if (is_perfect && (link.decision == LinkDecision::kPass || (link.was_perfect && !held(LinkSlot{at})))) {
      decision = LinkDecision::kPass;
    }
    link.was_perfect = is_perfect;
    set(LinkSlot{at}, decision);
  }
}

bool KernelLinks::perfect(LinkSlot link, const LinkState& state) const {
  const LinkRules& rules = settings_.air.rules[link.value()];
  const auto& station = settings_.air.stations[link.value() / settings_.robots.size()];
  return state.reachable && state.unicast.per_bit == 0 && state.delay.count() == 0 && rules.extra_hazard.per_bit == 0 &&
         rules.extra_delay.count() == 0 && !rules.impairments && !station;
}

void KernelLinks::set(LinkSlot at, LinkDecision decision) {
  Link& link = links_[at.value()];
  if (link.decision != decision) {
    attribute(at);
    const auto slots = static_cast<std::uint32_t>(settings_.robots.size());
    kernel_.set_link(RobotSlot{at.value() / slots}, RobotSlot{at.value() % slots}, decision);
    link.decision = decision;
  }
}

// What the kernel has counted since the last time was decided as the link has been since then.
void KernelLinks::attribute(LinkSlot at) {
  Link& link = links_[at.value()];
  const auto slots = static_cast<std::uint32_t>(settings_.robots.size());
  const hg_counter now = kernel_.link_counter(RobotSlot{at.value() / slots}, RobotSlot{at.value() % slots});
  hg_counter& share = link.decision == LinkDecision::kDrop ? link.dropped : link.passed;
  share.frames += now.frames - link.seen.frames;
  share.bytes += now.bytes - link.seen.bytes;
  link.seen = now;
}

void KernelLinks::add_to(LinkSlot at, LinkCounts& counts) {
  attribute(at);
  const Link& link = links_[at.value()];
  counts.deliveries += link.passed.frames + link.dropped.frames;
  counts.released += link.passed.frames;
  counts.bytes_released += link.passed.bytes;
  counts.dropped[static_cast<std::size_t>(DropReason::kUnreachable)] += link.dropped.frames;
}

void KernelLinks::add_to(PathTotals& totals) {
  for (std::uint32_t at = 0; at < links_.size(); ++at) {
    LinkCounts counts;
    add_to(LinkSlot{at}, counts);
    totals.deliveries += counts.deliveries;
    totals.released += counts.released;
    totals.bytes_released += counts.bytes_released;
    totals.dropped[static_cast<std::size_t>(DropReason::kUnreachable)] += counts.dropped_total();
  }
}

}  // namespace hilgate

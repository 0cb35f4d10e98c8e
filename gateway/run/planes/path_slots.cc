// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/path_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "config/radio_name.h"

namespace hilgate {
namespace {

bool is_same_device(const DpdkDeviceConfig& one, const DpdkDeviceConfig& other) {
  return one.kind == other.kind && one.socket == other.socket && one.device == other.device &&
         one.arguments == other.arguments && one.queues == other.queues && one.descriptors == other.descriptors;
}

bool is_same_tap(const std::optional<TapConfig>& one, const std::optional<TapConfig>& other) {
  return one.has_value() == other.has_value() && (!one || one->user == other->user);
}

// All that a port is opened with.
bool is_same_port(const PortConfig& one, const PortConfig& other) {
  if (one.driver == PortDriver::kElsewhere && one.name != other.name) {
    return false;
  }
  return one.driver == other.driver && one.gateway == other.gateway && one.interface == other.interface &&
         one.xdp == other.xdp && one.fail == other.fail && one.launch_time == other.launch_time &&
         one.ptp_served == other.ptp_served && one.kernel_pass == other.kernel_pass &&
         is_same_device(one.dpdk, other.dpdk);
}

}  // namespace

// The last is nowhere().
std::size_t port_slots(const Configuration& configuration) {
  return configuration.ports.size() + PortSlots::kSpare + 1;
}

PortSlots::PortSlots(const Configuration& configuration) : slots_(port_slots(configuration)) {
  const std::vector<std::size_t> cores = core_of_ports(configuration);
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    by_index_.emplace_back();
    put(PortSlot{i}, PortIndex{i}, configuration.ports[i], cores[i]);
  }
}

PortSlots PortSlots::changed(const Configuration& configuration, const std::function<bool(PortSlot)>& awaited) const {
  const std::vector<std::size_t> cores = core_of_ports(configuration);
  PortSlots next = *this;
  next.by_index_.assign(configuration.ports.size(), nowhere());
  for (Slot& slot : next.slots_) {
    slot.index = {};
  }
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    const PortConfig& port = configuration.ports[i];
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (!slots_[slot].index || !is_same_port(*slots_[slot].port, port)) {
        continue;
      }
      if (!is_same_tap(slots_[slot].port->tap, port.tap)) {
        throw std::runtime_error(fmt::format(
            "ports.{}: 'user' and 'driver: tap' cannot change at run time; restart the gateway", port.name));
      }
      if (slots_[slot].core != cores[i]) {
        throw std::runtime_error(fmt::format(
            "packet_loop.cores: port '{}' cannot change its core at run time; restart the gateway", port.name));
      }
      next.put(PortSlot{slot}, PortIndex{i}, port, cores[i]);
    }
  }
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    const PortConfig& port = configuration.ports[i];
    if (next.by_index_[i] != nowhere()) {
      continue;
    }
    const auto slot = next.free_slot(port, *this, awaited);
    if (!slot) {
      throw std::runtime_error(
          fmt::format("ports.{}: no free slot: {} ports can be added to those of the start, and frames may still be on "
                      "their way to ports that were removed; remove others first, or restart the gateway",
                      port.name, kSpare));
    }
    next.put(*slot, PortIndex{i}, port, cores[i]);
  }
  return next;
}

void PortSlots::put(PortSlot slot, PortIndex index, const PortConfig& port, std::size_t core) {
  slots_[slot.value()] = {port, core, index};
  by_index_[index.value()] = slot;
}

// A slot that was this port's, so that its robots find theirs; else an unused one; else any.
std::optional<PortSlot> PortSlots::free_slot(const PortConfig& port, const PortSlots& before,
                                             const std::function<bool(PortSlot)>& awaited) const {
  std::optional<PortSlot> unused;
  std::optional<PortSlot> left;
  for (std::uint32_t i = 0; i + 1 < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.index || before.slots_[i].index || (slot.port && awaited(PortSlot{i}))) {
      continue;
    }
    if (slot.port && is_same_port(*slot.port, port)) {
      return PortSlot{i};
    }
    auto& kind = slot.port ? left : unused;
    kind = kind.value_or(PortSlot{i});
  }
  return unused ? unused : left;
}

PortPlan PortSlots::plan(const Configuration& configuration) const {
  PortPlan plan{.slots = slots_.size()};
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    const PortSlot slot = by_index_[i];
    if (configuration.ports[i].driver == PortDriver::kElsewhere) {
      plan.elsewhere.push_back(slot);
      continue;
    }
    plan.ports.push_back({configuration.ports[i], slot, slots_[slot.value()].core});
  }
  return plan;
}

namespace {

struct LinkEnd {
  std::string name;
  PortSlot port;
};

// Names of robots have no blanks, so those of access points are others.
std::vector<LinkEnd> ends_of(const Configuration& configuration, const PortSlots& ports) {
  std::vector<LinkEnd> ends;
  for (const RobotConfig& robot : configuration.robots) {
    ends.push_back({robot.name, ports.slot_of(robot.port)});
  }
  if (const AccessNetworkConfig* network = access_network(configuration)) {
    for (const AccessPointConfig& point : network->access_points) {
      ends.push_back({"access point " + point.name, ports.nowhere()});
    }
  }
  return ends;
}

}  // namespace

RobotSlots::RobotSlots(const Configuration& configuration)
    : ports_(configuration), slots_(link_ends(configuration) + kSpare) {
  std::uint32_t index = 0;
  for (const auto& [name, port] : ends_of(configuration, ports_)) {
    slots_[index] = {name, port, RobotIndex{index}};
    ++index;
  }
  table_ = by_number();
}

TableRobots RobotSlots::by_number() const {
  std::vector<OptionalIndex<RobotIndex>> by_slot;
  for (const Slot& slot : slots_) {
    by_slot.push_back(slot.index);
  }
  return TableRobots(std::move(by_slot));
}

RobotSlots RobotSlots::changed(const Configuration& configuration, const Idle& idle) const {
  RobotSlots next = *this;
  next.passed_on_.clear();
  next.ports_ = ports_.changed(configuration, [&](PortSlot port) { return is_awaited(port, idle); });
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    next.slots_[i].index = {};
    next.slots_[i].at_rest = is_at_rest(i, idle);
  }
  const std::vector<LinkEnd> ends = ends_of(configuration, next.ports_);
  std::vector<Slot*> taken(ends.size());
  for (std::uint32_t i = 0; i < ends.size(); ++i) {
    const auto own = std::find_if(next.slots_.begin(), next.slots_.end(), [&](const Slot& slot) {
      return slot.robot == ends[i].name && slot.port == ends[i].port;
    });
    if (own != next.slots_.end()) {
      own->index = RobotIndex{i};
      taken[i] = &*own;
    }
  }
  for (std::uint32_t i = 0; i < ends.size(); ++i) {
    if (taken[i] == nullptr && (taken[i] = next.free_slot(*this, configuration.cores.size() > 1)) == nullptr) {
      throw std::runtime_error(
          fmt::format("{}: no free slot: {} robots and access points can be added to those of the start (a move "
                      "to another port counts as one), and frames may still be on their way to robots that were "
                      "removed; remove others first, or restart the gateway",
                      robot_key(ends[i].name), kSpare));
    }
    *taken[i] = {ends[i].name, ends[i].port, RobotIndex{i}};
  }
  next.table_ = next.by_number();
  return next;
}

// An unused slot; else one that was left before. Cores change one after the other: until the last one has, it may get
// frames to a robot that it does not know yet, and sends them to the port of the slot's former robot, if there is one.
RobotSlots::Slot* RobotSlots::free_slot(const RobotSlots& before, bool several_cores) {
  for (Slot& slot : slots_) {
    if (slot.robot.empty()) {
      return &slot;
    }
  }
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].index && slots_[i].at_rest && (before.slots_[i].at_rest || !several_cores)) {
      passed_on_.push_back(RobotSlot{i});
      return &slots_[i];
    }
  }
  return nullptr;
}

bool RobotSlots::is_at_rest(std::uint32_t slot, const Idle& idle) const {
  if (slots_[slot].index || slots_[slot].robot.empty()) {
    return false;
  }
  for (std::uint32_t other = 0; other < slots_.size(); ++other) {
    if (!idle(link_of(RobotSlot{slot}, RobotSlot{other}, slots_.size())) ||
        !idle(link_of(RobotSlot{other}, RobotSlot{slot}, slots_.size()))) {
      return false;
    }
  }
  return true;
}

bool RobotSlots::is_awaited(PortSlot port, const Idle& idle) const {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].port == port && !slots_[i].robot.empty() && !is_at_rest(i, idle)) {
      return true;
    }
  }
  return false;
}

PathSettings RobotSlots::arrange(PathSettings settings) const {
  const std::vector<RobotEntry> robots = std::exchange(settings.robots, {});
  const auto stations = std::exchange(settings.air.stations, {});
  const std::vector<LinkRules> rules = std::exchange(settings.air.rules, {});
  const std::vector<AirRole> roles = std::exchange(settings.air.roles, {});
  settings.air.rules.resize(slots_.size() * slots_.size());
  for (const Slot& slot : slots_) {
    const auto index = slot.index ? std::make_optional(slot.index.value().value()) : std::nullopt;
    const bool awaited = !slot.robot.empty() && !slot.at_rest;
    settings.robots.push_back(index ? robots[*index]
                                    : RobotEntry{awaited ? slot.port : ports_.nowhere(), {}, {}, false});
    settings.air.stations.push_back(index ? stations[*index] : std::nullopt);
    if (!roles.empty()) {
      settings.air.roles.push_back(index ? roles[*index] : AirRole::kNone);
    }
  }
  settings.slots = table_;
  settings.passed_on = passed_on_;
  const auto count = static_cast<std::uint32_t>(robots.size());
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      settings.air.rules[link(RobotIndex{from}, RobotIndex{to}).value()] =
          rules[link_of(RobotIndex{from}, RobotIndex{to}, count).value()];
    }
  }
  return settings;
}

}  // namespace hilgate

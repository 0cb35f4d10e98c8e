// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/port_slots.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

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
         one.xdp == other.xdp && one.fail == other.fail && one.ptp_served == other.ptp_served &&
         one.kernel_pass == other.kernel_pass && is_same_device(one.dpdk, other.dpdk);
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

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// What kinds of port may have besides capture and release, and what is assumed of those without.
#pragma once

#include <concepts>
#include <span>

#include "frame/drop_reason.h"

namespace hilgate {

/// A port that a sleeping loop (idle_wait.h) can wait for. One that lacks this is looked at now and then.
template <class P>
concept WakingPort = requires(const P& port, void (*each)(int)) {
  port.each_arrival_fd(each);                      // descriptors that are readable while frames wait to be captured
  { port.arrivals_wake() } -> std::same_as<bool>;  // there are such, for all its frames
  { port.unfinished() } -> std::same_as<bool>;     // frames wait to leave, or memory is short: it needs iterations
};

/// One whose descriptors become readable by what arrives while it is armed: interrupts, which cost time while there is
/// traffic.
template <class P>
concept ArmedPort = WakingPort<P> && requires(P& port) {
  { port.arm_arrivals() } -> std::same_as<bool>;  // true when it was not: capture once more before sleeping
  port.disarm_arrivals();
};

/// Whether the port needs iterations although nothing arrives.
template <class Port>
[[nodiscard]] bool is_unfinished(const Port& port) noexcept {
  if constexpr (WakingPort<Port>) {
    return port.unfinished();
  }
  return false;
}

/// Whether every frame that arrives makes a descriptor of the port readable.
template <class Port>
[[nodiscard]] bool wakes_by_arrivals(const Port& port) noexcept {
  if constexpr (WakingPort<Port>) {
    return port.arrivals_wake();
  }
  return false;
}

/// Arms all ports of a loop, null ones left out; true when one of them was not.
template <class Port>
bool arm_ports(std::span<Port* const> ports) noexcept {
  bool was_not = false;
  if constexpr (ArmedPort<Port>) {
    for (Port* port : ports) {
      was_not |= port != nullptr && port->arm_arrivals();
    }
  }
  return was_not;
}

template <class Port>
void disarm_ports(std::span<Port* const> ports) noexcept {
  if constexpr (ArmedPort<Port>) {
    for (Port* port : ports) {
      if (port != nullptr) {
        port->disarm_arrivals();
      }
    }
  }
}

/// Every descriptor that arrivals at some port make readable, to each(int).
template <class Port, class Each>
void each_arrival_fd_of(std::span<Port* const> ports, Each& each) noexcept {
  for (const Port* port : ports) {
    if constexpr (WakingPort<Port>) {
      if (port != nullptr) {
        port->each_arrival_fd(each);
      }
    }
  }
}

/// A port whose interface may come and go. One that lacks this is always there.
template <class P>
concept PluggablePort = requires(const P& port) {
  { port.unplugged() } -> std::same_as<bool>;  // nothing released would reach a robot, and nothing is taken
};

/// One that is notified before it is taken out of the path.
template <class P>
concept RemovablePort = PluggablePort<P> && requires(const P& port) {
  { port.removed() } -> std::same_as<bool>;
};

/// Why a port did not take a frame; null: there is no port in its slot any more.
template <class Port>
[[nodiscard]] DropReason reason_not_taken(const Port* port) noexcept {
  if (port == nullptr) {
    return DropReason::kPortRemoved;
  }
  if constexpr (RemovablePort<Port>) {
    if (port->removed()) {
      return DropReason::kPortRemoved;
    }
  }
  if constexpr (PluggablePort<Port>) {
    if (port->unplugged()) {
      return DropReason::kUnplugged;
    }
  }
  return DropReason::kTxFull;
}

}  // namespace hilgate

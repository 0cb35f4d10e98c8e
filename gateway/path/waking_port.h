// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

namespace hilgate {

/// A port that a sleeping loop (idle_wait.h) can wait for. One that lacks this is looked at now and then.
template <class P>
concept WakingPort = requires(const P& port, void (*each)(int)) {
  port.each_arrival_fd(each);                      // descriptors that are readable while frames wait to be captured
  { port.arrivals_wake() } -> std::same_as<bool>;  // there are such, for all its frames
  { port.unfinished() } -> std::same_as<bool>;     // frames wait to leave, or memory is short: it needs iterations
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

}  // namespace hilgate

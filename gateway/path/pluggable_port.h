// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

namespace hilgate {

/// A port whose interface may come and go. One that lacks this is always there.
template <class P>
concept PluggablePort = requires(const P& port) {
  { port.unplugged() } -> std::same_as<bool>;  // nothing released would reach a robot, and nothing is taken
};

template <class Port>
[[nodiscard]] bool is_unplugged(const Port& port) noexcept {
  if constexpr (PluggablePort<Port>) {
    return port.unplugged();
  }
  return false;
}

}  // namespace hilgate

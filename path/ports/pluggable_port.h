// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "frame/drop_reason.h"

namespace hilgate {

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

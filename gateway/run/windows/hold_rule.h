// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "clock/time.h"

namespace hilgate {

/// CORNET's rule: a packet that the network delays by `network_delay`, and that has been under way
/// for `elapsed` of physics' time when the network's answer is there, is held for the rest, or is late (empty) when
/// there is no rest. With `late: discard` a late packet is dropped. In pace follow physics' time is the run's, so that
/// what is held is held while physics stands.
constexpr std::optional<Nanoseconds> rest_of_hold(Nanoseconds network_delay, Nanoseconds elapsed) {
  return elapsed <= network_delay ? std::optional(network_delay - elapsed) : std::nullopt;
}

}  // namespace hilgate

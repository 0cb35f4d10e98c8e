// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/simulation.h"

namespace hilgate {

/// The windows that a site has had before a gateway's first one.
struct SitePast {
  WallTime zero{};  // of the site
  Nanoseconds window{0};
  bool is_told = false;                                                // by simulators elsewhere: nothing is computed
  std::size_t ends = 0;                                                // link_ends()
  std::function<WallTime()> until;                                     // asked for each window: time goes on meanwhile
  std::function<bool(std::uint64_t done, std::uint64_t all)> goes_on;  // windows; false: give it up
};

/// Takes a simulation that has seen no window through these, so that tracks, shadowing and fading are where the others
/// have them, and says where it begins. Nothing: given up. Any thread.
std::optional<RunBegin> compute_past(const SitePast& past, Simulation& simulation);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clock/time.h"
#include "tests/world/world_random.h"

namespace hilgate::test {

/// What a seed decides about a world's daemon before its run.
struct DaemonPlan {
  explicit DaemonPlan(std::uint64_t seed);
  /// The configuration's file, with this delay from r0 to r1. Sockets and records are in its folder.
  [[nodiscard]] std::string text(const std::string& folder, Nanoseconds delay) const;
  [[nodiscard]] bool has_simulators() const { return has_physics || has_netsim; }
  /// Of a frame, on top of its delay, until nobody waits for it any more.
  static constexpr Nanoseconds kExpiry{300'000'000};
  static constexpr std::uint32_t kQuietBurst = 8;

  WorldRandom random;
  std::uint32_t robots = 2;
  Nanoseconds window{};
  std::string radio;
  std::uint32_t cores = 1;
  std::uint32_t burst = kQuietBurst;  // frames that arrive at once are fewer
  bool is_hostile = false;            // clients of the control socket
  bool is_recorded = false;
  bool has_physics = false;  // simulators in programs of their own
  bool has_netsim = false;
  bool judges_packets = false;  // the network simulator; else it gives links
  bool is_impatient = false;    // one that hangs is disconnected before its silence is a condition
  std::string late = "hold_last";
};

}  // namespace hilgate::test

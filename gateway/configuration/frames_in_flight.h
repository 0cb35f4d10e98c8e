// SPDX-License-Identifier: Apache-2.0
// How many frames the links of a configuration keep at once: what a link with a rate and a delay holds when it is full,
// whether `links`, a trace or its radio has the rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/configuration/configuration.h"

namespace hilgate {

/// Frames of kFrameBytes. A sender fills one link at a time, the one that holds most.
struct FramesInFlight {
  static constexpr std::uint32_t kFrameBytes = 1514;

  std::uint64_t all = 0;   // of all senders
  std::uint64_t most = 0;  // of one sender
  RobotIndex sender{};     // which that is
  double rate_bps = 0;     // of its link
  Nanoseconds delay{0};
  std::uint32_t queue = 0;  // of these, in a queue larger than it is by default

  /// What `hold.frames` must be: a sender may have as much of twice that as it leaves for others
  /// (path/delivery_budget.h).
  [[nodiscard]] std::uint64_t hold() const { return (all + most + 1) / 2; }
  /// What `memory.frames` must be for so many ports, whose rings are lent to the kernel.
  [[nodiscard]] std::uint64_t memory(std::size_t ports) const;
};
FramesInFlight frames_in_flight(const Configuration& configuration);

/// Whether such a radio may fill the delays of some link with a thousand frames.
bool fills_memory(const Configuration& configuration, const RadioRate& radio);

/// Has memory and hold as large as the links need, up to kMostFrames, where the file does not say how large they are.
void size_memory(bool is_memory_given, bool is_hold_given, Configuration& configuration);
inline constexpr std::uint32_t kMostFrames = 524'288;

/// Where they are smaller than the links need: what is needed, and what to set. Empty where they are not.
std::string memory_shortage(const Configuration& configuration);
/// Where they are larger than their defaults, for people: how large, and why. Empty where they are not.
std::string memory_growth(const Configuration& configuration);

}  // namespace hilgate

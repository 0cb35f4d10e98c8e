// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "frame/frame.h"
#include "frame/id.h"
#include "path/fate/link_fates.h"

namespace hilgate {

/// Consecutive frames of one port with the same sender and the same receivers. Valid until the next burst.
struct FlowRun {
  std::span<const Frame> frames;  // at least one
  RobotId from{};
  std::span<const RobotId> to{};  // nobody: the frame has been dropped
  std::uint32_t payload = 0;      // offset of the bytes behind the MAC header
  bool group = false;             // multicast or broadcast
  bool ptp = false;               // PTP that does not go through the air

  /// One of the frames.
  [[nodiscard]] Sending sending(const Frame& frame) const { return {frame, from, payload, group}; }
};

}  // namespace hilgate

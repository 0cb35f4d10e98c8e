// SPDX-License-Identifier: Apache-2.0
// What the active management of a queue is told about a frame, and its answer.
#pragma once

#include <cstdint>

#include "clock/time.h"

namespace hilgate {

/// A frame at the instant at which it is to leave its queue, or comes to it.
struct QueueHead {
  HostTime now{};
  Nanoseconds waited{0};    // in the queue until now; 0 for one that comes
  std::uint32_t bytes = 0;  // its own
  std::uint64_t left = 0;   // bytes of the others that wait
  bool capable = false;     // of ECN
};

enum class QueueVerdict : std::uint8_t { kPass, kMark, kDrop };

}  // namespace hilgate

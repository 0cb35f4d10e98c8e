// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "clock/time.h"

namespace hilgate {

class YamlReader;

/// A wire of a given rate with a queue in front of it: frames leave one after the other, each taking its length over
/// the rate. What the air loses later has taken its time on the wire all the same. Does nothing at rate 0. Its queue is
/// in path/hold/rate_queues.h.
struct RateLimit {
  static constexpr std::string_view kKey = "rate";
  struct State {};

  double bits_per_second = 0;
  bool ethernet_framing = false;      // count what Ethernet adds: padding to 60 B, FCS, preamble and the gap, 24 B
  std::uint32_t queue_frames = 1000;  // that wait, the one being sent not counted; at least 1
  std::uint64_t queue_bytes = 0;      // of those that wait, as they were captured; 0: no limit in bytes
  bool drop_head = false;             // when full, the oldest goes instead of the newest

  static std::optional<RateLimit> read(YamlReader& link);
  [[nodiscard]] static bool timed_by_host() { return true; }
  /// How long a frame of `length` bytes (without FCS) takes.
  [[nodiscard]] Nanoseconds time(std::uint32_t length) const {
    return Nanoseconds{std::llround(8e9 * bytes_on_wire(length) / bits_per_second)};
  }
  [[nodiscard]] std::uint32_t bytes_on_wire(std::uint32_t length) const {
    return ethernet_framing ? std::max(length, 60U) + 24 : length;
  }
};

}  // namespace hilgate

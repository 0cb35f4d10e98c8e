// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "netsim_link/impairments/queue_rules.h"
#include "netsim_link/trace/trace_schedule.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class YamlReader;

/// A time in which a link carries nothing: a tunnel, a blackout, a reboot of a radio. Frames that arrive in it are
/// lost; those in flight are not touched. Times count from the start of the run. Does nothing when `length` is 0.
struct Outage {
  Nanoseconds at{0};
  Nanoseconds length{0};
  Nanoseconds every{0};  // again and again with this period, longer than `length`; 0: once

  [[nodiscard]] bool covers(Nanoseconds since_start) const {
    const Nanoseconds since = since_start - at;
    if (since.count() < 0) {
      return false;
    }
    return (every.count() > 0 ? since % every : since) < length;
  }
};

/// All outages of a link.
struct Outages {
  static constexpr std::string_view kKey = "outages";
  struct State {};

  std::vector<Outage> times{};

  static std::optional<Outages> read(YamlReader& link);
  [[nodiscard]] bool idle() const { return times.empty(); }
  [[nodiscard]] bool timed_by_host() const { return !times.empty(); }
  [[nodiscard]] std::optional<DropReason> lose(const ImpairedFrame& frame, State& state, FrameRandom& random) const;
};

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
  Nanoseconds queue_time{0};          // that those that wait take at the rate; 0: no limit in time
  QueueRules management{};            // of the queue before it is full

  static std::optional<RateLimit> read(YamlReader& link);
  [[nodiscard]] static bool timed_by_host() { return true; }
  /// How long a frame of `length` bytes (without FCS) takes.
  [[nodiscard]] Nanoseconds time(std::uint32_t length) const {
    return Nanoseconds{std::llround(8e9 * bytes_on_wire(length) / bits_per_second)};
  }
  /// Whether so many frames, of so many bytes together, take longer than `queue_time`.
  [[nodiscard]] bool is_too_long(std::uint64_t frames, std::uint64_t bytes) const {
    return queue_time.count() > 0 && 8e9 * static_cast<double>(bytes + (ethernet_framing ? 24 * frames : 0)) >
                                         static_cast<double>(queue_time.count()) * bits_per_second;
  }
  [[nodiscard]] std::uint32_t bytes_on_wire(std::uint32_t length) const {
    return ethernet_framing ? std::max(length, 60U) + 24 : length;
  }
};

/// A measured link, played in simulated time: loss, delay and duplicates are those of the instant at which a frame
/// arrives, so that steps shorter than a window have their effect. Its rate is a queue's (path/hold/rate_queues.h).
/// It has no key: the netsim `trace` makes it. Does nothing where the trace has no loss and no delay.
struct TracePlayback {
  struct State {
    std::uint32_t hint = 0;  // of TraceSchedule
  };

  std::shared_ptr<const TraceSchedule> schedule;
  std::uint32_t wire = 0;  // links with the same number share one queue and its rate
  bool overtakes = false;  // a frame whose delay is shorter passes those in front; else it waits for them
  RateLimit queue{};       // framing and size of the queue, where the trace does not say it; its rate has no effect

  [[nodiscard]] static bool timed_by_host() { return true; }
  [[nodiscard]] std::optional<DropReason> lose(const ImpairedFrame& frame, State& state, FrameRandom& random) const;
  void retime(const ImpairedFrame& frame, State& state, FrameRandom& random, ImpairedTiming& timing) const;
  /// Bytes that a frame of `length` takes of the wire. Mahimahi counts IP packets and 4 bytes of its TUN device.
  [[nodiscard]] std::uint32_t bytes_on_wire(std::uint32_t length) const;
};

}  // namespace hilgate

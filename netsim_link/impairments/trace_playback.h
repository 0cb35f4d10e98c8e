// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "netsim_link/impairments/rate_limit.h"
#include "netsim_link/trace/trace_schedule.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// A measured link, played in simulated time: loss, delay and duplicates are those of the instant at which a frame
/// arrives, so that steps shorter than a window have their effect. Its rate is a queue's (path/hold/rate_queues.h).
/// It has no key: the netsim `trace` makes it. Does nothing where the trace says no loss and no delay.
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

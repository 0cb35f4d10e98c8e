// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/trace_playback.h"

#include <algorithm>

#include "netsim_link/impairments/delay_distribution.h"

namespace hilgate {

std::optional<DropReason> TracePlayback::lose(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
  const double loss = schedule->at(frame.since_start, state.hint).loss;
  return loss > 0 && random.uniform() <= loss ? std::make_optional(DropReason::kConfiguredLoss) : std::nullopt;
}

void TracePlayback::retime(const ImpairedFrame& frame, State& state, FrameRandom& random,
                           ImpairedTiming& timing) const {
  const TraceEntry now = schedule->at(frame.since_start, state.hint);
  timing.delay +=
      now.jitter > Nanoseconds{0} ? NormalDelay{now.delay, now.jitter}.quantile(random.uniform()) : now.delay;
  timing.loose = timing.loose || overtakes;
  if (now.duplicate > 0 && random.uniform() <= now.duplicate) {
    timing.copy = now.duplicate_after;
  }
}

std::uint32_t TracePlayback::bytes_on_wire(std::uint32_t length) const {
  constexpr std::uint32_t kEthernetBytes = 14;
  constexpr std::uint32_t kTunBytes = 4;
  if (schedule->has_opportunities()) {
    return std::max(length, kEthernetBytes) - kEthernetBytes + kTunBytes;
  }
  return queue.bytes_on_wire(length);
}

}  // namespace hilgate

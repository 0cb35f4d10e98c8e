// SPDX-License-Identifier: Apache-2.0
// A frame exchange: RTS and CTS where the station asks for them, one frame or an aggregate of several, the
// acknowledgement, and what becomes of the frames.
//
// Aggregation (A-MPDU, IEEE 802.11-2020, 10.12): further frames to the same receiver in the same mode share the
// preamble and the acknowledgement, each with an error of its own. Those that failed are sent again with the next ones;
// those received after them wait, because receivers deliver in order (10.24.7). A loop that was late knows frames that
// came after the exchange began: they are not part of it.
//
// Acknowledgement (10.3.2.9): a frame whose acknowledgement is lost was received and is handed over; its sender repeats
// it, with a longer contention window, until it gets an acknowledgement or has no tries left, and the receiver drops
// the duplicates (10.3.2.14). Acknowledgements meet noise by LinkState::ack_loss. Errors that configuration adds to
// links leave them alone. It does nothing for group frames, modes without acknowledgement and fragmented packets.
//
// RTS and CTS (10.3.2.5, 10.3.2.7) go ahead of frames above the station's threshold; they take part in its tries.
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "frame/counters.h"
#include "netsim_link/air_plan.h"
#include "path/air/air_transmission.h"
#include "path/air/transmitters.h"

namespace hilgate {

/// The exchanges of one domain. Does not allocate.
class FrameExchanges {
 public:
  /// Both must outlive it.
  FrameExchanges(const AirDomain& rules, Transmitters& transmitters) : rules_(rules), transmitters_(transmitters) {}

  /// Of the frame at the head of a queue, from `at` on. Requires one that has arrived by then.
  AirExchange begin(Transmitter& transmitter, HostTime at);
  /// Whether noise takes the RTS or the CTS.
  bool noise_takes_rts(Transmitter& transmitter);
  /// Frames received or given up leave the queue; the others stay for another try. Draws the next backoff.
  /// True when a frame has been received and acknowledged, or is one to a group.
  bool end(Transmitter& transmitter, HostTime on_air_until, AirOutcome outcome);

  /// Frames received whose acknowledgement was not.
  [[nodiscard]] std::uint64_t acks_lost() const { return acks_lost_.get(); }
  void add_acks_lost(std::uint64_t lost) { acks_lost_.add(lost); }

 private:
  AirExchange aggregate(const Transmitter& transmitter, const AirJob& head, HostTime at);
  void add_rts(const Transmitter& transmitter, const AirJob& head, std::uint64_t aggregate_bytes,
               AirExchange& exchange) const;
  bool is_received(Transmitter& transmitter, AirJob& job);
  bool noise_takes_ack(Transmitter& transmitter, bool aggregated);

  const AirDomain& rules_;
  Transmitters& transmitters_;
  Counter acks_lost_{};
};

}  // namespace hilgate

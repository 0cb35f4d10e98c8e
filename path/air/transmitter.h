// SPDX-License-Identifier: Apache-2.0
// A transmit queue with the state of its channel access.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "frame/slab.h"
#include "netsim_link/air_plan.h"
#include "path/air/air_transmission.h"

namespace hilgate {

/// What sends in a domain. A station has one, with EDCA one for each category, and a base station one for each receiver
/// and one for groups. It keeps its
/// state when its station roams into another domain.
struct Transmitter {
  static constexpr std::uint32_t kNoPlace = 0xFFFF'FFFF;  // no member: a station between two access points

  std::uint32_t robot = 0;
  std::uint32_t domain = 0;
  std::uint32_t place = kNoPlace;           // among the members of its domain
  std::uint32_t receiver = AirJob::kGroup;  // of a base station: the receiver of this queue
  AccessCategory category = AccessCategory::kBestEffort;

  // Next to one another is what an event goes by at every station that it meets.

  // Contention (IEEE 802.11-2020, 10.3), and where stations transmit at the same time, or each in its slot, what it
  // does and senses of the medium.
  bool backing_off = false;   // also after a transmission with nothing left to send (10.3.4.3)
  bool keeps_medium = false;  // its next frame follows the last after SIFS
  bool transmitting = false;
  bool sending_rts = false;             // transmitting: the RTS
  std::uint8_t on_air_mode = 0;         // index into AirPlan::modes
  std::uint32_t backoff = 0;            // slots still to count down
  std::uint32_t contention_window = 0;  // slots
  NodeIndex head = kNoNode;             // of the queue
  HostTime idle_from{};                 // end of what it senses
  // The station's receiver, of its first transmitter: the frame that it has locked on (path/air/receivers.h).
  struct Following {
    std::uint32_t from = 0;
    HostTime since{};
    HostTime until{};
  };
  Following follows{};
  HostTime answers_from{};  // the station's last CTS or acknowledgement on the air, of its first transmitter
  HostTime answers_until{};
  HostTime on_air_since{};  // of the last RTS or frame
  HostTime on_air_until{};  // of the RTS or the frame

  std::uint64_t draws = 0;           // random numbers drawn so far
  HostTime txop_until{};             // end of its transmission opportunity (10.23.2.8)
  AirExchange exchange{};            // transmitting: the one at hand
  std::vector<Overlap> interferers;  // transmitting: who did too meanwhile; reserved
  HostTime nav_until{};              // network allocation vector: reserved by RTS or CTS of others (10.3.2.4)

  // The queue.
  NodeIndex tail = kNoNode;
  std::uint32_t queued = 0;
  std::uint32_t leaving = 0;  // frames out of the queue that occupy their slots until leaves_at
  HostTime leaves_at{};       // end of their exchange

  // Unslotted CSMA-CA.
  std::uint32_t busy_looks = 0;  // for the frame at the head
  bool turns = false;            // found the medium idle, and transmits at turned_at
  HostTime turned_at{};

  std::uint32_t fragments_sent = 0;  // TDMA: of the frame at the head
  HostTime turn_until{};             // TDMA that yields: end of the slot that its last transmission was in
  std::uint64_t radio_frames = 0;    // TDMA: shared ones sent
  Counter bytes_in{};                // AirJob::left of what came into the queue, and what has left it
  Counter bytes_out{};
  Nanoseconds service{0};  // scheduled: time on the air it has had, or passed over with nothing to send
  Nanoseconds credit{0};   // duty cycle: time on the air left at credit_at
  HostTime credit_at{};
  Station station{};

  [[nodiscard]] bool empty() const { return head == kNoNode; }
  /// Slots of the queue in use at a time that is not before the last event.
  [[nodiscard]] std::uint32_t places(HostTime at) const { return queued + (at < leaves_at ? leaving : 0); }
  /// From any thread.
  [[nodiscard]] std::uint64_t queued_bytes() const { return bytes_in.get() - bytes_out.get(); }
};

/// Of the transmitter's category; null without EDCA.
inline const EdcaParameters* edca_of(const Transmitter& transmitter) {
  const auto& edca = transmitter.station.edca;
  return edca ? &(*edca)[static_cast<std::size_t>(transmitter.category)] : nullptr;
}
/// Bounds of the contention window: of its category, else of the medium.
inline std::uint32_t least_window(const Transmitter& transmitter, const AirDomain& rules) {
  const EdcaParameters* const edca = edca_of(transmitter);
  return edca != nullptr ? edca->cw_min : rules.cw_min;
}
inline std::uint32_t most_window(const Transmitter& transmitter, const AirDomain& rules) {
  const EdcaParameters* const edca = edca_of(transmitter);
  return edca != nullptr ? edca->cw_max : rules.cw_max;
}
/// After a failed try.
inline void widen_window(Transmitter& transmitter, const AirDomain& rules) {
  transmitter.contention_window = std::min(2 * transmitter.contention_window + 1, most_window(transmitter, rules));
}
/// 0: one frame exchange at a time.
inline Nanoseconds txop_of(const Transmitter& transmitter) {
  const EdcaParameters* const edca = edca_of(transmitter);
  return edca != nullptr ? edca->txop : Nanoseconds{0};
}

}  // namespace hilgate

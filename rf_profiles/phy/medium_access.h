// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "clock/time.h"

namespace hilgate {

/// What becomes of a frame that the air damaged.
enum class ErrorPolicy : std::uint8_t {
  kFcsDrop,        // any bit error on the radio frame loses it, as a check sequence does
  kArq,            // as above, but the sender repeats up to its tries
  kCorruptRaw,     // flip bits, leave checksums alone; a hit in the network header drops
  kCorruptFixsum,  // flip bits, then repair IP/UDP/TCP/ICMP sums so that applications see the damage
  kMarkOnly,       // count it, deliver it clean
};

/// How the radios of one domain share its medium. Profiles name them in rf_profiles/profile/medium_access.cc;
/// path/air/ has a class for each.
enum class MediumAccess : std::uint8_t {
  kDcf,             // CSMA/CA by IEEE 802.11's DCF; all hear one another, simultaneous transmissions are lost
  kOverlappingDcf,  // likewise, but each station defers to those it hears itself; receivers decide by SINR
  kUnslottedCsma,   // CSMA-CA by IEEE 802.15.4: random backoff, one look at the medium; receivers decide by SINR
  kAloha,           // stations transmit at will; receivers decide by SINR what overlaps
  kRoundRobin,      // one frame after the other in a circle, without collisions
  kTdma,            // each station in a slot of its own, without collisions
  kScheduled,       // a base station grants the air: equal shares of time on it, without collisions
};

/// Transmit queues of a station with EDCA (IEEE 802.11-2020, 10.23.2), which contend with one another as with those of
/// other stations. Frames are assigned by the precedence bits of their DSCP, as Linux does.
enum class AccessCategory : std::uint8_t { kBestEffort, kBackground, kVideo, kVoice };
inline constexpr std::size_t kAccessCategories = 4;

/// Of one category.
struct EdcaParameters {
  std::uint32_t aifsn = 3;  // slots after SIFS, at least 2
  std::uint32_t cw_min = 15;
  std::uint32_t cw_max = 1023;
  Nanoseconds txop{0};  // frames one after the other without contention, SIFS apart; 0: one at a time

  friend bool operator==(const EdcaParameters&, const EdcaParameters&) = default;
};

/// How stations of a mesh forward one another's frames (path/mesh_relays.h).
struct MeshForwarding {
  std::uint32_t hop_limit = 31;           // transmissions of a frame, [1, 255]
  Nanoseconds least_forwarding{300'000};  // from the reception of a frame to its place in the queue: equally
  Nanoseconds most_forwarding{400'000};   // distributed between these

  friend bool operator==(const MeshForwarding&, const MeshForwarding&) = default;
};

}  // namespace hilgate

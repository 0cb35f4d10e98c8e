// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate {

/// What becomes of a frame that the air damaged.
enum class ErrorPolicy : std::uint8_t {
  kFcsDrop,        // any bit error on the radio frame loses it, as a check sequence does
  kArq,            // as above, but the sender repeats up to its tries
  kCorruptRaw,     // flip bits, leave checksums alone; a hit in the network header drops
  kCorruptFixsum,  // flip bits, then repair IP/UDP/TCP/ICMP sums so that applications see the damage
  kMarkOnly,       // count it, deliver it clean
};

}  // namespace hilgate

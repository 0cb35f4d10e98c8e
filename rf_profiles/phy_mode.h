// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"

namespace hilgate {

/// One way a radio can send a frame: rate, framing, acknowledgement. Immutable after configuration.
///
/// Air time of a frame of L bytes (without Ethernet FCS):
///   preamble + symbol * ceil((service_bits + 8 (L + overhead_bytes)) / bits_per_symbol)
/// which covers OFDM (IEEE 802.11-2020, 17.4.3 and 19.4.3) and, with a symbol of one bit, serial radios.
struct PhyMode {
  Nanoseconds preamble{0};
  Nanoseconds symbol{1};
  std::uint32_t bits_per_symbol = 1;
  std::uint32_t service_bits = 0;    // SERVICE and tail bits
  std::uint32_t overhead_bytes = 0;  // link header, LLC, FCS on the air; replaces the Ethernet header counted in L
  Nanoseconds ack{0};                // SIFS + acknowledgement after the frame; 0 when none is sent
  double rate_bps = 0;               // nominal, for people

  friend bool operator==(const PhyMode&, const PhyMode&) = default;
  [[nodiscard]] constexpr std::uint64_t air_bits(std::uint32_t frame_bytes) const {
    return service_bits + 8ULL * (frame_bytes + overhead_bytes);
  }
  [[nodiscard]] constexpr Nanoseconds air_time(std::uint32_t frame_bytes) const {
    const std::uint64_t symbols = (air_bits(frame_bytes) + bits_per_symbol - 1) / bits_per_symbol;
    return preamble + symbol * static_cast<std::int64_t>(symbols);
  }
};

}  // namespace hilgate

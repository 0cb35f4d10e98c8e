// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "config/units.h"

namespace hilgate {

/// One way a radio can send a frame: rate, framing, acknowledgement. Immutable after configuration.
///
/// Air time of a frame of L bytes (Ethernet header counted, FCS not):
///   preamble + symbol * ceil((service_bits + 8 (L + overhead_bytes)) / bits_per_symbol)
/// which covers OFDM (IEEE 802.11-2020, 17.4.3 and 19.4.3) and, with a symbol of one byte, serial radios. A radio whose
/// own frames are short cuts the payload into pieces of `fragment_bytes`, each with the preamble and the overhead of a
/// frame, sent back to back.
struct PhyMode {
  Nanoseconds preamble{0};
  Nanoseconds symbol{1};
  std::uint32_t bits_per_symbol = 1;
  std::int32_t service_bits = 0;     // SERVICE and tail bits; negative where a preamble carries payload (LoRa)
  std::int32_t overhead_bytes = 0;   // link header, LLC, FCS on the air, less the Ethernet header counted in L
  std::uint32_t fragment_bytes = 0;  // payload of one radio frame; 0 when it takes any
  Nanoseconds ack{0};                // SIFS + acknowledgement after the frame; 0 when none is sent
  double rate_bps = 0;               // nominal, for people
  std::uint32_t repeated_bytes = 0;  // header of the packet that every piece has again, and so is in none (IP's)
  Nanoseconds block_ack{0};          // SIFS + acknowledgement of frames sent together
  Decibels needed_snr{};   // a tenth of full frames is lost there: where errors have no curve, those that meet others
  Decibels control_snr{};  // likewise of acknowledgements, RTS and CTS
  std::uint32_t ack_bits = 0;  // of an acknowledgement, as errors meet it; 0: it is never lost
  std::uint32_t block_ack_bits = 0;
  std::uint32_t rts_bits = 0;
  Nanoseconds rts{0};                  // RTS alone; the CTS is as long as an acknowledgement. 0: none in this mode
  Nanoseconds sifs{0};                 // between CTS and frame
  std::uint32_t frame_error_bits = 0;  // as many bits of every frame meet errors, whatever its length; 0: all its bits
  /// Messages share radio frames of up to `fragment_bytes`, without their packets' headers; a longer one takes several.
  /// What errors meet is the radio frame.
  bool shared = false;
  std::uint32_t fragment_header = 0;  // bytes of each piece of a packet that takes several (6LoWPAN), besides overhead
  std::uint8_t spreading = 0;         // of LoRa; 0: another modulation
  Decibels lock{4};      // over all others on the air, at its beginning: an idle receiver locks on the frame
  Decibels capture{10};  // likewise, of a receiver that has locked on another one

  friend bool operator==(const PhyMode&, const PhyMode&) = default;
  static constexpr std::uint32_t kEthernetHeader = 14;

  /// Radio frames that one frame takes.
  [[nodiscard]] constexpr std::uint32_t fragments(std::uint32_t frame_bytes) const {
    const std::uint32_t headers = kEthernetHeader + repeated_bytes;
    const std::uint32_t payload = frame_bytes > headers ? frame_bytes - headers : 1;
    return fragment_bytes == 0 || payload <= fragment_bytes + fragment_header
               ? 1
               : (payload + fragment_bytes - 1) / fragment_bytes;
  }
  [[nodiscard]] constexpr std::uint64_t air_bits(std::uint32_t frame_bytes) const {
    const auto pieces = static_cast<std::int64_t>(fragments(frame_bytes));
    const std::int64_t first = service_bits + 8 * (static_cast<std::int64_t>(frame_bytes) + overhead_bytes);
    const std::int64_t further =
        service_bits + 8 * (static_cast<std::int64_t>(overhead_bytes) + kEthernetHeader + repeated_bytes);
    const std::int64_t cut = pieces > 1 ? pieces * 8 * static_cast<std::int64_t>(fragment_header) : 0;
    const std::int64_t bits = first + (pieces - 1) * further + cut;
    return bits > 0 ? static_cast<std::uint64_t>(bits) : 1;
  }
  /// Bits of a frame that errors meet: it is lost with 1 - exp(-hazard error_bits).
  [[nodiscard]] constexpr std::uint64_t error_bits(std::uint32_t frame_bytes) const {
    return frame_error_bits > 0 ? frame_error_bits : air_bits(frame_bytes);
  }
  [[nodiscard]] constexpr Nanoseconds air_time(std::uint32_t frame_bytes) const {
    return preamble * static_cast<std::int64_t>(fragments(frame_bytes)) + time_of(air_bits(frame_bytes));
  }
  /// Of a shared radio frame with so many bytes of messages.
  [[nodiscard]] constexpr std::uint64_t shared_bits(std::uint32_t bytes) const {
    const std::int64_t bits = service_bits + 8 * (std::int64_t{bytes} + overhead_bytes + kEthernetHeader);
    return bits > 0 ? static_cast<std::uint64_t>(bits) : 1;
  }
  [[nodiscard]] constexpr Nanoseconds shared_time(std::uint32_t bytes) const {
    return preamble + time_of(shared_bits(bytes));
  }
  /// Bytes of messages that fit into a shared radio frame of so much time.
  [[nodiscard]] constexpr std::uint32_t shared_bytes(Nanoseconds time) const {
    const std::int64_t bits = (time - shared_time(0)) / symbol * std::int64_t{bits_per_symbol};
    return bits <= 0 ? 0 : bits / 8 >= fragment_bytes ? fragment_bytes : static_cast<std::uint32_t>(bits / 8);
  }
  /// Bits of a frame among others of one transmission (IEEE 802.11-2020, 9.7.1): delimiter of 4 bytes, padded to 4.
  [[nodiscard]] constexpr std::uint64_t subframe_bits(std::uint32_t frame_bytes) const {
    const std::int64_t bytes = static_cast<std::int64_t>(frame_bytes) + overhead_bytes;
    return 8 * (4 + (static_cast<std::uint64_t>(bytes > 0 ? bytes : 0) + 3) / 4 * 4);
  }
  /// Of such a transmission with that many bits of subframes.
  [[nodiscard]] constexpr Nanoseconds joint_air_time(std::uint64_t subframes_bits) const {
    return preamble + time_of(subframes_bits + static_cast<std::uint64_t>(service_bits > 0 ? service_bits : 0));
  }

 private:
  [[nodiscard]] constexpr Nanoseconds time_of(std::uint64_t bits) const {
    return symbol * static_cast<std::int64_t>((bits + bits_per_symbol - 1) / bits_per_symbol);
  }
};

}  // namespace hilgate

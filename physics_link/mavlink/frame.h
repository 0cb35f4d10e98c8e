// SPDX-License-Identifier: Apache-2.0
// MAVLink's framing, versions 1 and 2 (mavlink.io, "Packet Serialization"): where a frame ends, and its sender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace hilgate::mavlink {

inline constexpr std::byte kStart1{0xFE};
inline constexpr std::byte kStart2{0xFD};
inline constexpr std::size_t kLongestFrame = 280;  // version 2 with a signature

enum class Version : std::uint8_t { k1 = 1, k2 = 2 };

/// One frame, in the bytes it was found in.
struct Frame {
  Version version = Version::k2;
  bool is_signed = false;  // a signature follows, which is not checked
  std::uint8_t sequence = 0;
  std::uint8_t system = 0;
  std::uint8_t component = 0;
  std::uint32_t message = 0;             // id
  std::span<const std::byte> payload{};  // as on the wire: version 2 leaves out zeros at the end
  std::span<const std::byte> checked{};  // what the checksum covers, but for CRC_EXTRA
  std::uint16_t crc = 0;                 // as on the wire
  std::size_t size = 0;                  // of the whole frame, bytes

  /// The whole frame, of one that was read.
  [[nodiscard]] std::span<const std::byte> bytes() const { return {checked.data() - 1, size}; }
};

/// The frame that begins with the first byte; empty when none does, when it is not whole, or when it has
/// incompatibility flags that are not known. The checksum is not looked at.
std::optional<Frame> first_frame(std::span<const std::byte> bytes);

/// Hands the frames that follow each other from the first byte on to each(const Frame&), up to the first invalid one.
template <class Each>
void each_frame(std::span<const std::byte> bytes, Each each) {
  while (const auto frame = first_frame(bytes)) {
    each(*frame);
    bytes = bytes.subspan(frame->size);
  }
}

/// The checksum of a frame: CRC-16/MCRF4XX over the header after the start byte, the payload, and a byte of the
/// message's own, CRC_EXTRA, so that ends that disagree about a message's fields do not understand each other.
/// MAVLink's text calls it X.25, which has a final inversion that MAVLink has not.
std::uint16_t checksum_of(std::span<const std::byte> bytes, std::uint8_t crc_extra);

/// The sender, for write_frame.
struct Speaker {
  Version version = Version::k2;
  std::uint8_t sequence = 0;
  std::uint8_t system = 0;
  std::uint8_t component = 0;
};

/// A frame without signature. `payload` is complete; version 2 cuts its zeros off. Requires message < 256 for version 1
/// and a payload of 1 to 255 bytes.
std::string write_frame(const Speaker& speaker, std::uint32_t message, std::uint8_t crc_extra,
                        std::span<const std::byte> payload);

}  // namespace hilgate::mavlink

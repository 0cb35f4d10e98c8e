// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace hilgate {

// What a telemetry radio knows of MAVLink: where a message that passes ends. It does not check checksums.

/// Bytes of a message's beginning that tell how long it is.
inline constexpr std::size_t kMavlinkSizeHead = 3;

/// The size in bytes of the message that begins with `head`: 0 when none does, empty when more bytes are needed to
/// tell. Version 1 has 8 bytes around its payload, version 2 has 12, and 13 more with a signature (mavlink.io, "Packet
/// Serialization").
inline std::optional<std::size_t> mavlink_size(std::span<const std::byte> head) {
  constexpr std::byte kStart1{0xFE};
  constexpr std::byte kStart2{0xFD};
  constexpr std::byte kSigned{0x01};
  if (head.empty()) {
    return std::nullopt;
  }
  if (head[0] != kStart1 && head[0] != kStart2) {
    return 0;
  }
  if (head.size() < (head[0] == kStart1 ? 2 : kMavlinkSizeHead)) {
    return std::nullopt;
  }
  const auto payload = std::to_integer<std::size_t>(head[1]);
  return head[0] == kStart1 ? payload + 8 : payload + 12 + ((head[2] & kSigned) != std::byte{0} ? 13 : 0);
}

/// Whether a stream of MAVLink is between two messages: there, another one can be put in.
class MessageBoundary {
 public:
  void pass(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      pass(byte);
    }
  }
  [[nodiscard]] bool between() const { return rest_ == 0 && known_ == 0; }
  /// The rest of the message that was begun does not come any more.
  void give_up() { rest_ = known_ = 0; }

 private:
  void pass(std::byte byte) {
    if (rest_ > 0) {
      --rest_;
      return;
    }
    head_[known_++] = byte;
    if (const auto size = mavlink_size(std::span(head_).first(known_))) {
      rest_ = *size > known_ ? *size - known_ : 0;
      known_ = 0;
    }
  }

  std::array<std::byte, kMavlinkSizeHead> head_{};
  std::size_t known_ = 0;
  std::size_t rest_ = 0;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hilgate {

/// The bytes of a frame that may lie in several segments, addressed by their offset in the frame.
class FrameBytes {
 public:
  /// Linux puts at most 17 fragments into a packet (MAX_SKB_FRAGS), and a head.
  static constexpr std::size_t kMaxSegments = 18;

  /// Segments beyond the limit are left out; length() counts them.
  void append(std::span<std::byte> segment) {
    if (count_ < kMaxSegments) {
      segments_[count_++] = segment;
      length_ += static_cast<std::uint32_t>(segment.size());
    }
  }
  [[nodiscard]] std::uint32_t length() const { return length_; }
  [[nodiscard]] std::span<const std::byte> head() const { return count_ > 0 ? segments_[0] : std::span<std::byte>{}; }

  /// Requires offset < length().
  std::byte& operator[](std::uint32_t offset) {
    assert(offset < length_);
    std::size_t i = 0;
    std::size_t left = offset;
    while (left >= segments_[i].size()) {
      left -= segments_[i].size();
      ++i;
    }
    return segments_[i][left];
  }

 private:
  std::array<std::span<std::byte>, kMaxSegments> segments_{};
  std::size_t count_ = 0;
  std::uint32_t length_ = 0;
};

}  // namespace hilgate

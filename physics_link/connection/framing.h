// SPDX-License-Identifier: Apache-2.0
// Frames on a byte stream: a length of 4 bytes, unsigned, big-endian, then that many bytes of body. ROS-NetSim,
// DANCERS and the native protocol share it .
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "physics_link/connection/protocol_fault.h"

namespace hilgate {

inline constexpr std::size_t kFrameHeader = 4;                            // bytes
inline constexpr std::size_t kDefaultFrameLimit = std::size_t{16} << 20;  // bytes

/// Appends one whole frame. Throws std::length_error for a body that a 4-byte length cannot express.
void append_frame(std::string_view body, std::string& out);

/// Cuts a byte stream into frames. After a fault the stream is out of step until reset().
class FrameReader {
 public:
  explicit FrameReader(std::size_t limit = kDefaultFrameLimit) : limit_(limit) {}

  /// Room for `bytes` more; the caller fills some of it and passes its length to received().
  char* space(std::size_t bytes);
  void received(std::size_t bytes) { end_ += bytes; }

  enum class Status : std::uint8_t { kFrame, kNeedMore, kTooLong };
  /// On kFrame `body` is the next frame, valid until the next call of space().
  [[nodiscard]] Status next(std::string_view& body);

  /// Bytes of a frame that is not complete yet.
  [[nodiscard]] std::size_t pending() const { return end_ - begin_; }
  [[nodiscard]] std::size_t limit() const { return limit_; }
  /// Length field of the frame at hand; requires pending() >= kFrameHeader.
  [[nodiscard]] std::size_t announced() const;
  void reset() { begin_ = end_ = 0; }

 private:
  std::size_t limit_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace hilgate

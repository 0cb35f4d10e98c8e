// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "serial/mavlink_size.h"

namespace hilgate {

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

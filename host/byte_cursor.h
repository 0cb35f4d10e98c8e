// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace hilgate {

/// What a part of a file has, from its front to its back, with numbers as they are in this machine's memory. Throws
/// `Damage` with the text `too_short` where it ends too early.
template <class Damage>
class ByteCursor {
 public:
  ByteCursor(std::string_view bytes, const char* too_short) : left_(bytes), too_short_(too_short) {}

  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take(std::size_t bytes) {
    if (bytes > left_.size()) {
      throw Damage(too_short_);
    }
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return left_; }

 private:
  std::string_view left_;
  const char* too_short_;
};

}  // namespace hilgate

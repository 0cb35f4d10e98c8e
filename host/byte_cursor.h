// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace hilgate {

/// Reads an integer in network order. The caller has checked that sizeof(T) bytes are there.
template <class T>
T load_be(const std::byte* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  }
  return static_cast<T>(value);
}

/// The same at an offset. The caller has checked that it lies within `bytes`.
template <class T>
T load_be(std::span<const std::byte> bytes, std::size_t offset) {
  assert(offset + sizeof(T) <= bytes.size());
  return load_be<T>(bytes.data() + offset);
}

/// Writes an integer in network order; the caller has made the room.
template <class T>
void store_be(std::span<std::byte> bytes, std::size_t offset, T value) {
  assert(offset + sizeof(T) <= bytes.size());
  auto rest = static_cast<std::uint64_t>(value);
  for (std::size_t i = sizeof(T); i-- > 0;) {
    bytes[offset + i] = static_cast<std::byte>(rest & 0xff);
    rest >>= 8;
  }
}

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

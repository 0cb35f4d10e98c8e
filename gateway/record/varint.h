// SPDX-License-Identifier: Apache-2.0
// Whole numbers in as few bytes as they need: seven bits a byte, the lowest first, the eighth bit set in all but the
// last.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hilgate {

inline void append_varint(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) {
    bytes.push_back(static_cast<char>(number | 0x80));
  }
  bytes.push_back(static_cast<char>(number));
}

/// Numbers of small magnitude are short, whatever their sign: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
inline void append_signed(std::string& bytes, std::int64_t number) {
  append_varint(bytes, (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63));
}

/// Differences of any two numbers, and back: they wrap around.
inline std::int64_t difference(std::int64_t number, std::int64_t before) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(before));
}
inline std::int64_t sum(std::int64_t before, std::int64_t difference) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(difference));
}

/// What was appended, in the same order. Throws std::runtime_error when there is no more.
class VarintReader {
 public:
  explicit VarintReader(std::string_view bytes) : left_(bytes) {}

  std::uint8_t byte() {
    if (left_.empty()) {
      throw std::runtime_error("a message ends within a number");
    }
    const auto first = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return first;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7FU} << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw std::runtime_error("a number has more than 64 bits");
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > left_.size()) {
      throw std::runtime_error("a message ends within a list");
    }
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  [[nodiscard]] bool empty() const { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace hilgate

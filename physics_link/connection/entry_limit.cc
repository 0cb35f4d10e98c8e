// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/entry_limit.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace hilgate {
namespace {

constexpr int kLongestVarint = 10;

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

// Takes a varint off the front; empty when there is none.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < kLongestVarint && static_cast<std::size_t>(i) < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(i)]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if ((byte & 0x80) == 0) {
      bytes.remove_prefix(static_cast<std::size_t>(i) + 1);
      return value;
    }
  }
  return std::nullopt;
}

// False when the parser will refuse these bytes, which is its business.
bool skip(std::string_view& bytes, WireType type) {
  const std::size_t size = type == WireType::kFixed64 ? 8 : 4;
  if (type == WireType::kVarint) {
    return take_varint(bytes).has_value();
  }
  if ((type != WireType::kFixed64 && type != WireType::kFixed32) || bytes.size() < size) {
    return false;
  }
  bytes.remove_prefix(size);
  return true;
}

// Counts down `left`; false when there are more.
bool count(std::string_view bytes, std::span<const EntryShape> shape, std::size_t& left) {
  while (const auto tag = take_varint(bytes)) {
    const auto type = static_cast<WireType>(*tag & 7);
    if (type != WireType::kLength) {
      if (!skip(bytes, type)) {
        return true;
      }
      continue;
    }
    const auto size = take_varint(bytes);
    if (!size || *size > bytes.size()) {
      return true;
    }
    const auto part = std::ranges::find(shape, *tag >> 3, [](const EntryShape& entry) { return entry.field; });
    if (part != shape.end() && (left-- == 0 || !count(bytes.substr(0, *size), part->inside, left))) {
      return false;
    }
    bytes.remove_prefix(*size);
  }
  return true;
}

}  // namespace

MaybeFault check_entries(std::string_view plain, std::span<const EntryShape> shape, std::size_t most) {
  std::size_t left = most;
  if (count(plain, shape, left)) {
    return std::nullopt;
  }
  return WireFault{WireError::kBomb, fmt::format("{} bytes of a message hold more than {} parts", plain.size(), most)};
}

}  // namespace hilgate

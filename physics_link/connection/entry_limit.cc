// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/entry_limit.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace hilgate {
namespace {

constexpr int kLongestVarint = 10;

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kGroup = 3, kGroupEnd = 4, kFixed32 = 5 };

enum class Count : std::uint8_t { kFine, kTooMany, kHidden };

// Takes a varint off the front; empty when it is missing.
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

// Counts down `left`.
Count count(std::string_view bytes, std::span<const EntryShape> shape, std::size_t& left) {
  while (const auto tag = take_varint(bytes)) {
    const auto type = static_cast<WireType>(*tag & 7);
    if (type == WireType::kGroup || type == WireType::kGroupEnd || *tag > std::numeric_limits<std::uint32_t>::max()) {
      return Count::kHidden;
    }
    if (type != WireType::kLength) {
      if (!skip(bytes, type)) {
        return Count::kFine;
      }
      continue;
    }
    const auto size = take_varint(bytes);
    if (!size || *size > bytes.size()) {
      return Count::kFine;
    }
    const auto part = std::ranges::find(shape, *tag >> 3, [](const EntryShape& entry) { return entry.field; });
    if (part != shape.end()) {
      if (left == 0) {
        return Count::kTooMany;
      }
      --left;
      const Count inside = part->is_text ? Count::kFine : count(bytes.substr(0, *size), part->inside, left);
      if (inside != Count::kFine) {
        return inside;
      }
    }
    bytes.remove_prefix(*size);
  }
  return Count::kFine;
}

}  // namespace

MaybeFault check_entries(std::string_view plain, std::span<const EntryShape> shape, std::size_t most) {
  std::size_t left = most;
  switch (count(plain, shape, left)) {
    case Count::kFine:
      break;
    case Count::kTooMany:
      return ProtocolFault{ProtocolError::kBomb,
                           fmt::format("message of {} bytes has more than {} parts", plain.size(), most)};
    case Count::kHidden:
      return ProtocolFault{ProtocolError::kBadMessage,
                           fmt::format("message of {} bytes has a group or a tag of more than 32 bits", plain.size())};
  }
  return std::nullopt;
}

}  // namespace hilgate

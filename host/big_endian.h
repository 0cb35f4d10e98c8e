// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
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

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Binary logs: numbers at offsets. What is read of a file is checked against its end first.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace hilgate {

/// The little-endian number at `offset`. Requires that `bytes` holds it.
template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  static_assert(std::endian::native == std::endian::little && std::is_arithmetic_v<T>);
  assert(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset);
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Whether bytes [offset, offset + size) are there.
inline bool has_bytes(std::string_view bytes, std::size_t offset, std::size_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

}  // namespace hilgate

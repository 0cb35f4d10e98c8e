// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>

namespace hilgate {

/// An index or none, in the size of an index: for tables that are read for every frame. `Index` is an Id.
template <class Index>
class OptionalIndex {
 public:
  constexpr OptionalIndex() = default;
  constexpr OptionalIndex(Index index) : raw_(index.value()) { assert(raw_ != kNone); }

  constexpr explicit operator bool() const { return raw_ != kNone; }
  /// Only where there is one.
  [[nodiscard]] constexpr Index value() const {
    assert(raw_ != kNone);
    return Index{raw_};
  }
  friend constexpr bool operator==(OptionalIndex, OptionalIndex) = default;

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  std::uint32_t raw_ = kNone;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>

#include "clock/time.h"

namespace hilgate {

// For exact products of two 64-bit numbers; g++ and clang++ both have it, ISO C++ does not.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace hilgate

// How one clock runs against another: a straight line in integers, exact enough for years and quick enough for the
// packet loop.

namespace hilgate {

/// Nanoseconds of one clock per nanosecond of another, times 2^48: from 3.6e-15 to 32767. 0 is a clock that stands.
struct ClockRate {
  static constexpr int kShift = 48;
  static constexpr std::int64_t kUnit = std::int64_t{1} << kShift;
  std::int64_t scaled = kUnit;

  /// `factor` from 0 to 32767.
  static ClockRate from(double factor) {
    assert(factor >= 0 && factor < 32768);
    return {static_cast<std::int64_t>(std::llround(std::ldexp(factor, kShift)))};
  }
  [[nodiscard]] double factor() const { return std::ldexp(static_cast<double>(scaled), -kShift); }
  friend bool operator==(const ClockRate&, const ClockRate&) = default;
};

/// The instant of clock To that belongs to an instant of clock From. No branch, two multiplications.
template <class From, class To>
struct ClockLine {
  From from{};
  To to{};
  ClockRate rate{};

  [[nodiscard]] To at(From instant) const { return to + scale(instant - from, rate); }

  /// The other way round: the first instant at which clock To shows `instant` or more. The rate must be above 0.
  [[nodiscard]] From when(To instant) const {
    assert(rate.scaled > 0);
    const Int128 ticks = static_cast<Int128>((instant - to).count()) * ClockRate::kUnit;
    const Int128 whole = ticks / rate.scaled;
    const bool rest = ticks % rate.scaled > 0;
    return from + Nanoseconds{static_cast<std::int64_t>(whole) + (rest ? 1 : 0)};
  }

  [[nodiscard]] static Nanoseconds scale(Nanoseconds span, ClockRate rate) {
    const Int128 product = static_cast<Int128>(span.count()) * rate.scaled;
    return Nanoseconds{static_cast<std::int64_t>(product >> ClockRate::kShift)};
  }
};

}  // namespace hilgate

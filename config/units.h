// SPDX-License-Identifier: Apache-2.0
// Quantities as types: a number that knows its unit, passed by value. What can be added, subtracted and compared is
// what makes sense: two levels have a ratio as their difference, and a level and a ratio make a level. Columns of
// batches stay arrays of double, with the unit in their names, so that loops over them become vector code.
#pragma once

#include <compare>
#include <cstdint>

namespace hilgate {

struct Metres {
  double value = 0;
};
struct MetresPerSecond {
  double value = 0;
};
struct Radians {
  double value = 0;
};
struct Hertz {
  double value = 0;

  friend constexpr auto operator<=>(const Hertz&, const Hertz&) = default;
};
/// A ratio of powers; dB and dBi are read alike.
struct Decibels {
  double value = 0;

  friend constexpr auto operator<=>(const Decibels&, const Decibels&) = default;
  friend constexpr Decibels operator-(Decibels a) { return {-a.value}; }
  friend constexpr Decibels operator+(Decibels a, Decibels b) { return {a.value + b.value}; }
  friend constexpr Decibels operator-(Decibels a, Decibels b) { return {a.value - b.value}; }
  friend constexpr Decibels operator*(double times, Decibels a) { return {times * a.value}; }
  constexpr Decibels& operator+=(Decibels other) { return *this = *this + other; }
};
/// A power level.
struct Dbm {
  double value = 0;

  friend constexpr auto operator<=>(const Dbm&, const Dbm&) = default;
  friend constexpr Dbm operator+(Dbm level, Decibels gain) { return {level.value + gain.value}; }
  friend constexpr Dbm operator-(Dbm level, Decibels loss) { return {level.value - loss.value}; }
  friend constexpr Decibels operator-(Dbm a, Dbm b) { return {a.value - b.value}; }
  constexpr Dbm& operator+=(Decibels gain) { return *this = *this + gain; }
};
struct BitsPerSecond {
  double value = 0;
};
struct Bytes {
  std::uint64_t value = 0;
};
/// In [0, 1]; written in % or ppm.
struct Probability {
  double value = 0;
};
/// How fast something goes against something else, 0 and more; written in % or ppm.
struct Pacing {
  double value = 0;
};
/// Simulation time per wall time. Whole parts per million, so that windows begin at the same instants on all gateways.
struct Dilation {
  std::uint32_t ppm = 1'000'000;  // above 0; 1 000 000 is real time

  friend constexpr bool operator==(const Dilation&, const Dilation&) = default;
  [[nodiscard]] constexpr double factor() const { return ppm / 1e6; }
};
/// Frequency offsets of clocks; written in ppb or ppm.
struct PartsPerBillion {
  double value = 0;
};

}  // namespace hilgate

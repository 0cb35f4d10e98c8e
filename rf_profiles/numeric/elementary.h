// SPDX-License-Identifier: Apache-2.0
// Elementary functions without branches, tables and calls: a loop over many pairs that uses them becomes vector code,
// and as they consist of additions, products, quotients and roots alone, they give the same bits with vectors of any
// width and on every machine (the loops are compiled with -ffp-contract=off for that; see CMakeLists.txt).
//
// Logarithm: atanh series of the mantissa in [sqrt 1/2, sqrt 2). Power of two and circle: Taylor series, about the
// nearest integer and the nearest quarter turn. tests/rf_profiles/numeric/elementary_test.cc holds them against the C
// library.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <numbers>

namespace hilgate {

/// log2 within 4e-16 of the result or 4e-16, whichever is more. -infinity for 0 (and below 2^-1022), NaN for
/// negative numbers and NaN.
inline double octaves(double x) {
  constexpr std::uint64_t kOne = 0x3FF0'0000'0000'0000;
  constexpr std::uint64_t kRootHalf = 0x3FE6'A09E'667F'3BCD;
  constexpr std::uint64_t kMantissa = 0x000F'FFFF'FFFF'FFFF;
  constexpr std::uint64_t kTwo52 = 0x4330'0000'0000'0000;  // so that an integer below 2^52 becomes a number
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
  const double exponent = std::bit_cast<double>((shifted >> 52) | kTwo52) - (0x1p52 + 1023);
  const double mantissa = std::bit_cast<double>((shifted & kMantissa) + kRootHalf);
  const double s = (mantissa - 1) / (mantissa + 1);
  const double z = s * s;
  const double z2 = z * z;
  const double z4 = z2 * z2;
  // (2 / ln 2) s (1 + z/3 + z^2/5 + ...); the first term left out is below 3e-17.
  constexpr double kTwoOctaves = 2 * std::numbers::log2e;
  const double low = (kTwoOctaves + kTwoOctaves / 3 * z) + (kTwoOctaves / 5 + kTwoOctaves / 7 * z) * z2;
  const double middle = (kTwoOctaves / 9 + kTwoOctaves / 11 * z) + (kTwoOctaves / 13 + kTwoOctaves / 15 * z) * z2;
  const double high = kTwoOctaves / 17 + kTwoOctaves / 19 * z;
  const double finite = exponent + s * (low + (middle + high * z4) * z4);
  const double beyond = x >= 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
  const double positive = x < kInfinity ? finite : x;
  return x >= std::numeric_limits<double>::min() ? positive : beyond;
}

/// Natural logarithm, as exact.
inline double natural_log(double x) {
  return std::numbers::ln2 * octaves(x);
}

/// 2^x within 4e-16 of the result; x below -1000 counts as -1000, above 1000 as 1000.
inline double power_of_two(double x) {
  constexpr double kShift = 0x1.8p52;  // adding it rounds to an integer, and shows that in the lowest bits
  constexpr double kBase = std::numbers::ln2;
  const double most = x < 1000 ? x : 1000;
  const double within = most > -1000 ? most : -1000;
  const double shifted = within + kShift;
  const double y = (within - (shifted - kShift)) * kBase;
  const double scale = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
  double sum = 1.0 / 6'227'020'800;  // 1 / 13!; the first term left out is below 3e-18
  sum = sum * y + 1.0 / 479'001'600;
  sum = sum * y + 1.0 / 39'916'800;
  sum = sum * y + 1.0 / 3'628'800;
  sum = sum * y + 1.0 / 362'880;
  sum = sum * y + 1.0 / 40'320;
  sum = sum * y + 1.0 / 5'040;
  sum = sum * y + 1.0 / 720;
  sum = sum * y + 1.0 / 120;
  sum = sum * y + 1.0 / 24;
  sum = sum * y + 1.0 / 6;
  sum = sum * y + 0.5;
  sum = sum * y + 1;
  return (sum * y + 1) * scale;
}

/// A point of the unit circle.
struct CirclePoint {
  double cosine = 1;
  double sine = 0;
};

/// After `turns` of 2 pi, |turns| below 2^40: each within 4e-16.
inline CirclePoint circle_at(double turns) {
  constexpr double kShift = 0x1.8p52;
  const double quarters = 4 * turns;
  const double shifted = quarters + kShift;
  const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(shifted) & 3;
  const double angle = (quarters - (shifted - kShift)) * (std::numbers::pi / 2);  // within pi / 4
  const double z = angle * angle;
  double cosine = 1.0 / 20'922'789'888'000;  // 1 / 16!
  cosine = cosine * z - 1.0 / 87'178'291'200;
  cosine = cosine * z + 1.0 / 479'001'600;
  cosine = cosine * z - 1.0 / 3'628'800;
  cosine = cosine * z + 1.0 / 40'320;
  cosine = cosine * z - 1.0 / 720;
  cosine = cosine * z + 1.0 / 24;
  cosine = cosine * z - 0.5;
  cosine = cosine * z + 1;
  double sine = -1.0 / 1'307'674'368'000;  // -1 / 15!
  sine = sine * z + 1.0 / 6'227'020'800;
  sine = sine * z - 1.0 / 39'916'800;
  sine = sine * z + 1.0 / 362'880;
  sine = sine * z - 1.0 / 5'040;
  sine = sine * z + 1.0 / 120;
  sine = sine * z - 1.0 / 6;
  sine = (sine * z + 1) * angle;
  const bool odd = (quadrant & 1) != 0;
  const double x = odd ? sine : cosine;
  const double y = odd ? cosine : sine;
  return {(((quadrant + 1) & 2) != 0) ? -x : x, ((quadrant & 2) != 0) ? -y : y};
}

}  // namespace hilgate

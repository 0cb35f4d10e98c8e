// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/numeric/normal.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "rf_profiles/numeric/vector_code.h"

namespace hilgate {
namespace {

constexpr std::size_t kLanes = 64;
using Words = std::array<std::uint32_t, kLanes>;

/// Philox counters or, after them, random bits: one block per lane.
struct Blocks {
  alignas(64) Words word[4];
  alignas(64) Words key[2];
};

/// Lanes in use, up to whole vectors: what is left over would be computed one by one.
std::size_t whole_vectors(std::size_t size) {
  constexpr std::size_t kVector = 8;
  return (size + kVector - 1) / kVector * kVector;
}

Blocks blocks_at(std::span<const DrawPlace> places) {
  Blocks blocks;
  for (std::size_t i = places.size(); i < whole_vectors(places.size()); ++i) {
    blocks.word[1][i] = blocks.word[2][i] = blocks.word[3][i] = blocks.key[0][i] = blocks.key[1][i] = 0;
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const DrawPlace& place = places[i];
    blocks.word[1][i] = place.stream;
    blocks.word[2][i] = static_cast<std::uint32_t>(place.frame);
    blocks.word[3][i] = static_cast<std::uint32_t>(place.frame >> 32);
    blocks.key[0][i] = static_cast<std::uint32_t>(place.seed);
    blocks.key[1][i] = static_cast<std::uint32_t>(place.seed >> 32);
  }
  return blocks;
}

/// The block number `draw` of each lane.
inline void randomize(const Blocks& at, std::uint32_t draw, std::size_t size, Words* bits) {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) {
    const PhiloxLane lane =
        philox_rounds({draw, at.word[1][i], at.word[2][i], at.word[3][i], at.key[0][i], at.key[1][i]});
    bits[0][i] = lane.a;
    bits[1][i] = lane.b;
    bits[2][i] = lane.c;
    bits[3][i] = lane.d;
  }
}

/// FrameRandom::uniform() of two words; integers below 2^52 become numbers by their bits, as vectors can do it.
inline double uniform_of(std::uint32_t high, std::uint32_t low) {
  constexpr std::uint64_t kTwo52 = 0x4330'0000'0000'0000;
  const double upper = std::bit_cast<double>(high | kTwo52) - 0x1p52;
  const double lower = std::bit_cast<double>((low >> 11) | kTwo52) - 0x1p52;
  return (upper * 0x1p21 + lower + 1) * 0x1p-53;
}

HILGATE_VECTOR_CODE void normals(const Blocks& at, std::size_t size, double* draws) {
  Words first[4];
  Words second[4];
  randomize(at, 0, size, first);
  randomize(at, 1, size, second);
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) {
    const double radius = std::sqrt(-2 * natural_log(uniform_of(first[0][i], first[1][i])));
    draws[i] = radius * circle_at(uniform_of(second[0][i], second[1][i])).cosine;
  }
}

HILGATE_VECTOR_CODE void complex_normals(const Blocks& at, std::size_t size, double* in_phase, double* quadrature) {
  Words bits[4];
  randomize(at, 0, size, bits);
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) {
    const double radius = std::sqrt(-natural_log(uniform_of(bits[0][i], bits[1][i])));
    const CirclePoint direction = circle_at(uniform_of(bits[2][i], bits[3][i]));
    in_phase[i] = radius * direction.cosine;
    quadrature[i] = radius * direction.sine;
  }
}

}  // namespace

void draw_normals(std::span<const DrawPlace> places, std::span<double> draws) {
  assert(places.size() == draws.size());
  while (!places.empty()) {
    const std::size_t size = std::min(kLanes, places.size());
    alignas(64) std::array<double, kLanes> lanes;
    normals(blocks_at(places.first(size)), whole_vectors(size), lanes.data());
    std::copy_n(lanes.begin(), size, draws.begin());
    places = places.subspan(size);
    draws = draws.subspan(size);
  }
}

void draw_complex_normals(std::span<const DrawPlace> places, std::span<std::complex<double>> draws) {
  assert(places.size() == draws.size());
  while (!places.empty()) {
    const std::size_t size = std::min(kLanes, places.size());
    std::array<double, kLanes> in_phase;
    std::array<double, kLanes> quadrature;
    complex_normals(blocks_at(places.first(size)), whole_vectors(size), in_phase.data(), quadrature.data());
    for (std::size_t i = 0; i < size; ++i) {
      draws[i] = {in_phase[i], quadrature[i]};
    }
    places = places.subspan(size);
    draws = draws.subspan(size);
  }
}

namespace {

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& c, double x) {
  double value = 0;
  for (auto at = c.rbegin(); at != c.rend(); ++at) {
    value = value * x + *at;
  }
  return value;
}

// |p - 1/2| <= 0.425
constexpr Coefficients kCentreTop = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                     1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                     3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients kCentreBottom = {1.0,
                                        4.2313330701600911252e+1,
                                        6.8718700749205790830e+2,
                                        5.3941960214247511077e+3,
                                        2.1213794301586595867e+4,
                                        3.9307895800092710610e+4,
                                        2.8729085735721942674e+4,
                                        5.2264952788528545610e+3};
// sqrt(-ln p) <= 5
constexpr Coefficients kTailTop = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                   3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kTailBottom = {1.0,
                                      2.05319162663775882187e0,
                                      1.67638483018380384940e0,
                                      6.89767334985100004550e-1,
                                      1.48103976427480074590e-1,
                                      1.51986665636164571966e-2,
                                      5.47593808499534494600e-4,
                                      1.05075007164441684324e-9};
// beyond
constexpr Coefficients kFarTop = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                  2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kFarBottom = {1.0,
                                     5.99832206555887937690e-1,
                                     1.36929880922735805310e-1,
                                     1.48753612908506148525e-2,
                                     7.86869131145613259100e-4,
                                     1.84631831751005468180e-5,
                                     1.42151175831644588870e-7,
                                     2.04426310338993978564e-15};

}  // namespace

double normal_probability(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

double normal_quantile(double probability) {
  const double q = probability - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kCentreTop, r) / polynomial(kCentreBottom, r);
  }
  const double tail = q < 0 ? probability : 1 - probability;
  if (tail <= 0) {
    return q < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  const double r = std::sqrt(-std::log(tail));
  const double z = r <= 5 ? polynomial(kTailTop, r - 1.6) / polynomial(kTailBottom, r - 1.6)
                          : polynomial(kFarTop, r - 5) / polynomial(kFarBottom, r - 5);
  return q < 0 ? -z : z;
}

}  // namespace hilgate

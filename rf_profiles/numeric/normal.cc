// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/numeric/normal.h"

#include <algorithm>
#include <array>
#include <cassert>

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

}  // namespace hilgate

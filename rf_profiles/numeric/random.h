// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: a value is a pure function of (seed, stream, frame, draw), so results depend
// neither on batching nor on threads, and a run can be replayed from its seed.
//
// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC'11. Known answers in tests/rf_profiles/numeric/random_test.cc come from that paper's distribution.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "clock/clock_line.h"

namespace hilgate {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Counter and, after the rounds, random bits; by names and not by index, so that loops over lanes become vector code.
struct PhiloxLane {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  std::uint32_t key_low = 0, key_high = 0;
};

constexpr PhiloxLane philox_rounds(PhiloxLane lane) {
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t low = std::uint64_t{0xD2511F53} * lane.a;
    const std::uint64_t high = std::uint64_t{0xCD9E8D57} * lane.c;
    lane.a = static_cast<std::uint32_t>(high >> 32) ^ lane.b ^ lane.key_low;
    lane.b = static_cast<std::uint32_t>(high);
    lane.c = static_cast<std::uint32_t>(low >> 32) ^ lane.d ^ lane.key_high;
    lane.d = static_cast<std::uint32_t>(low);
    lane.key_low += 0x9E3779B9;   // golden ratio
    lane.key_high += 0xBB67AE85;  // sqrt(3) - 1
  }
  return lane;
}

constexpr PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  const PhiloxLane lane = philox_rounds({counter[0], counter[1], counter[2], counter[3], key[0], key[1]});
  return {lane.a, lane.b, lane.c, lane.d};
}

/// A stream's draws for one frame. Cheap to make; copies continue independently from where they are.
class FrameRandom {
 public:
  /// `stream` is a LinkSlot's or station's number; `frame` its running frame number.
  constexpr FrameRandom(std::uint64_t seed, std::uint32_t stream, std::uint64_t frame)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, stream, static_cast<std::uint32_t>(frame), static_cast<std::uint32_t>(frame >> 32)} {}

  /// The same stream and frame from draw 2^31 on: for draws that must not depend on how many come before them.
  [[nodiscard]] constexpr FrameRandom later() const {
    FrameRandom other = *this;
    other.counter_[0] = 0x8000'0000U;
    return other;
  }

  constexpr std::uint64_t next64() {
    const PhiloxBlock block = philox4x32(counter_, key_);
    ++counter_[0];
    return (std::uint64_t{block[0]} << 32) | block[1];
  }
  /// Uniform in (0, 1]: never 0, so that its logarithm is finite. Resolution 2^-53.
  constexpr double uniform() { return static_cast<double>((next64() >> 11) + 1) * 0x1p-53; }
  /// Exponential with mean 1.
  double exponential() { return -std::log(uniform()); }
  /// Uniform in [0, n). The bias of the multiply-shift is below n * 2^-64.
  constexpr std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<UInt128>(next64()) * n) >> 64);
  }

 private:
  PhiloxKey key_;
  PhiloxBlock counter_;
};

}  // namespace hilgate

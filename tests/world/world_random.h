// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate::test {

/// Random numbers of a world from its seed, the same on every machine (splitmix64, S. Vigna).
class WorldRandom {
 public:
  explicit WorldRandom(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// 0 to n - 1; n is at least 1.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }
  bool chance(double p) { return static_cast<double>(next() >> 11) * 0x1p-53 < p; }

 private:
  std::uint64_t state_;
};

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// What is done about pairs of radios too far apart to hear one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hilgate {

/// Where far pairs are left out: their links are silent, and cost nothing.
enum class FarPairRule : std::uint8_t {
  kWhereMany,  // in media of kManyRadios at least
  kNever,
  kAlways,  // wherever the models allow it
};

inline constexpr std::size_t kManyRadios = 128;

/// Of one medium.
struct FarPairs {
  std::string domain;
  std::size_t radios = 0;
  unsigned threads = 1;            // that work on it
  std::string computed_because{};  // why all pairs are computed; empty: far ones are left out
  // Of the last window:
  double reach_m = 0;         // farther pairs were left out; infinite: none was
  std::uint64_t visited = 0;  // pairs that were looked at: neither too far nor known to be silent for some way yet
  std::uint64_t heard = 0;    // of these, those whose links were computed; all others are silent
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/phy/spreading.h"

#include <algorithm>
#include <array>

namespace hilgate {
namespace {

constexpr unsigned kLeast = 7;
constexpr unsigned kMost = 12;
using Row = std::array<double, kMost - kLeast + 1>;

/// By wanted factor, then by the other one; dB.
constexpr std::array<Row, kMost - kLeast + 1> kRejection = {{{0, -8, -9, -9, -9, -9},
                                                             {-11, 0, -11, -12, -13, -13},
                                                             {-15, -13, 0, -13, -14, -15},
                                                             {-19, -18, -17, 0, -17, -18},
                                                             {-22, -22, -21, -20, 0, -20},
                                                             {-25, -25, -25, -24, -23, 0}}};

}  // namespace

Decibels lora_rejection(unsigned wanted_spreading, unsigned other_spreading) {
  const unsigned wanted = std::clamp(wanted_spreading, kLeast, kMost) - kLeast;
  const unsigned other = std::clamp(other_spreading, kLeast, kMost) - kLeast;
  return wanted == other ? kLoraCapture : Decibels{kRejection[wanted][other]};
}

}  // namespace hilgate

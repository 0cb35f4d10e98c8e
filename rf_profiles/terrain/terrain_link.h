// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/units.h"

namespace hilgate {

enum class Polarization : std::uint8_t { kHorizontal, kVertical };

/// The two antennas of a path over terrain; heights above the ground.
struct TerrainLink {
  double tx_height_m = 10;
  double rx_height_m = 2;
  Hertz frequency;
  Polarization polarization = Polarization::kVertical;

  [[nodiscard]] double mhz() const { return frequency.value / 1e6; }
  [[nodiscard]] double ghz() const { return frequency.value / 1e9; }
};

}  // namespace hilgate

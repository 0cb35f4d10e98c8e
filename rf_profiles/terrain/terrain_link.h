// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
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

/// The value that a standard normal variable exceeds with probability `share` (0 < share < 1). M. Abramowitz,
/// I. A. Stegun, 26.2.23, as ITM and P.1812 have it: within 4.5e-4.
inline double exceeded_with(double share) {
  const double tail = share > 0.5 ? 1 - share : share;
  const double t = std::sqrt(-2 * std::log(tail));
  const double above =
      t - ((0.010328 * t + 0.802853) * t + 2.515517) / (((0.001308 * t + 0.189269) * t + 1.432788) * t + 1);
  return share > 0.5 ? -above : above;
}

}  // namespace hilgate

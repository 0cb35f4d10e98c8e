// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rf_profiles/errors/hazard.h"
#include "rf_profiles/phy/phy_mode.h"

namespace hilgate {

/// SNR above which less than a tenth of what has so many bits is lost, within 0.001 dB: what receivers of overlapping
/// frames go by. -40 to 60 dB.
inline Decibels needed_snr(double bits, const HazardCurve& hazard) {
  constexpr double kLoss = 0.1;
  constexpr double kStep = 1e-3;
  double low = -40;
  double high = 60;
  while (high - low > kStep) {
    const double middle = (low + high) / 2;
    (frame_error_rate(hazard(middle), bits) > kLoss ? low : high) = middle;
  }
  return {high};
}

/// Of full frames, 1514 bytes.
inline Decibels needed_snr(const PhyMode& mode, const HazardCurve& hazard) {
  constexpr std::uint32_t kFrame = 1514;
  return needed_snr(static_cast<double>(mode.air_bits(kFrame)), hazard);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// LoRa's spreading factors among one another: what a frame must be above, or may be below, another that overlaps with
// it. Co-channel of the same factor: 6 dB (C. Goursaud and J.-M. Gorce, "Dedicated networks for IoT: PHY/MAC state of
// the art and challenges", EAI 2015). Of other factors: D. Croce et al., "Impact of LoRa imperfect orthogonality",
// IEEE Communications Letters 22(4), 2018, table I.
#pragma once

#include "config/units.h"
#include "rf_profiles/phy/phy_mode.h"

namespace hilgate {

inline constexpr Decibels kLoraCapture{6};

/// Least ratio of a frame's power to that of another, 7 to 12 each; others count as the nearest.
Decibels lora_rejection(unsigned wanted_spreading, unsigned other_spreading);

/// What a frame in `wanted` needs over one in `other`: the rejection of LoRa, else `otherwise`.
inline Decibels needed_over(const PhyMode& wanted, const PhyMode& other, Decibels otherwise) {
  return wanted.spreading > 0 && other.spreading > 0 ? lora_rejection(wanted.spreading, other.spreading) : otherwise;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/friis.h"
#include "rf_profiles/path_loss/ground_link.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {

class YamlReader;

/// The sum of the direct and the reflected wave, with the reflection coefficient given. At most `cap`: in a null
/// the sum goes to 0.
Decibels two_ray_exact_loss(const GroundLink& link, Hertz frequency, std::complex<double> reflection, Decibels cap);

/// Reflection coefficient of ground with complex relative permittivity `eta`, antennas vertical.
std::complex<double> ground_reflection(const GroundLink& link, std::complex<double> eta);

struct TwoRayExact {
  static constexpr std::string_view kName = "two_ray_exact";

  bool ideal_ground = true;  // reflection coefficient -1
  SlabConstants ground;      // else: of this ground, antennas vertical
  Decibels cap{200};

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const;
  /// Both waves in phase, and the ground a mirror: twice the amplitude of free space.
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) const {
    constexpr double kTwiceTheAmplitude = 6.0206;  // dB
    return std::min(friis_loss_db(d3d_m, carrier.hz) - kTwiceTheAmplitude, cap.value);
  }
};

}  // namespace hilgate

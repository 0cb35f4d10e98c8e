// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <numbers>
#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/empirical_models.h"
#include "rf_profiles/path_loss/pair_geometry.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {

class YamlReader;

/// No loss within the range, none gets through beyond: the crudest of ROS-NetSim's four levels.
struct Disc {
  static constexpr std::string_view kName = "disc";

  double range_m = 100;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& /*carrier*/) const {
    constexpr double kBeyondRange = 300;  // dB, more than any receiver bears
    return pair.d3d_m <= range_m ? 0 : kBeyondRange;
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) const {
    return loss_db({.d3d_m = d3d_m}, carrier);
  }
};

/// 20 log10(4 pi d f / c) (H. T. Friis, 1946); 0 for d <= 0.
inline double friis_loss_db(double d_m, double f_hz) {
  const double loss = 20 * decades(4 * std::numbers::pi * d_m * f_hz / kLightSpeed);
  return d_m > 0 ? loss : 0;
}

/// Free space.
struct Friis {
  static constexpr std::string_view kName = "friis";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return friis_loss_db(pair.d3d_m, carrier.hz);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] static double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) {
    return friis_loss_db(d3d_m, carrier.hz);
  }
};

/// One exponent, from a reference distance on; the reference loss below it.
struct LogDistance {
  static constexpr std::string_view kName = "log_distance";

  double exponent = 3;
  Decibels reference{46.6777};  // Friis at 1 m, 5.15 GHz
  double reference_m = 1;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(double d_m) const {
    const double loss = reference.value + 10 * exponent * decades(d_m / reference_m);
    return d_m > reference_m ? loss : reference.value;
  }
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& /*carrier*/) const {
    return loss_db(pair.d3d_m);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& /*carrier*/) const {
    return loss_db(d3d_m);
  }
};

}  // namespace hilgate

// mininet-wifi's log-distance loss as CORNET uses it, for profiles that shall behave as a run there did. The
// loss at 1 m and that over distance are each cut down to a whole number, as there.

namespace hilgate {

/// Both parts of the loss are truncated to whole decibels.
struct MininetLogDistance {
  static constexpr std::string_view kName = "mininet_wifi";

  double exponent = 3;

  void read(YamlReader& loss);
  /// dB; d_m >= 1 m.
  [[nodiscard]] double loss_db(double d_m, double f_hz) const;
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return loss_db(pair.d3d_m, carrier.hz);
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) const {
    return loss_db(d3d_m, carrier.hz);
  }
};

/// Three exponents over three ranges; no loss below the first.
struct ThreeLogDistance {
  static constexpr std::string_view kName = "three_log_distance";

  Decibels reference{46.6777};
  double begin_m[3] = {1, 200, 500};
  double exponent[3] = {1.9, 3.8, 3.8};

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(double d_m) const;
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& /*carrier*/) const {
    return loss_db(pair.d3d_m);
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& /*carrier*/) const {
    return loss_db(d3d_m);
  }
};

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

/// The form of ns-2 and ns-3: Friis up to the crossover 4 pi h h / lambda, 40 log10 d beyond; 0 up to 0.5 m. It knows
/// neither lobes nor nulls.
Decibels two_ray_ground_loss(const GroundLink& link, Hertz frequency);

struct TwoRayGround {
  static constexpr std::string_view kName = "two_ray_ground";

  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return two_ray_ground_loss(above_ground(pair), carrier.frequency()).value;
  }
  /// The crossover is farthest with both antennas as high as any.
  [[nodiscard]] double least_loss_db(double d3d_m, double highest_m, const Carrier& carrier) const {
    return loss_db({.d2d_m = d3d_m, .d3d_m = d3d_m, .high_m = highest_m, .low_m = highest_m}, carrier);
  }
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Rays through a grid map: straight ones for the walls between two cells, reflected ones for where power comes from.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "rf_profiles/survey/grid_map.h"

namespace hilgate {

// Shape factors of multipath: how the power arriving from all around makes the level change with position
// (G. D. Durgin, T. S. Rappaport, "Theory of multipath shape factors for small-scale fading wireless channels", 2000),
// corrected: F_n has e^(+j n theta), and the variance is that of the spatial rate.

/// Power that arrives from one azimuth.
struct Ray {
  double power = 0;  // linear
  double azimuth_rad = 0;
};

/// Fourier coefficients F_n = integral of p(theta) e^(j n theta) of the angular distribution of power.
struct AngularMoments {
  double f0 = 0;
  std::complex<double> f1;
  std::complex<double> f2;
};
AngularMoments moments_of_rays(std::span<const Ray> rays);
AngularMoments moments_of_omni();
AngularMoments moments_of_sector(double width_rad, double centre_rad);
/// Two equal sectors, opposite one another.
AngularMoments moments_of_double_sector(double width_rad, double centre_rad);
/// From all around, and one wave; `k` linear.
AngularMoments moments_of_rice(double k, double azimuth_rad);

struct ShapeFactors {
  double spread = 0;        // Lambda, 0 (one direction) to 1
  double constriction = 0;  // gamma, 0 to 1 (two directions); 0 for a single wave
  double azimuth_rad = 0;   // Theta, of the fastest fading, modulo pi; 0 when no direction is distinguished
};
ShapeFactors shape_factors(const AngularMoments& moments);

/// W = Lambda^2 (1 + gamma cos 2 (heading - Theta)) for a receiver moving in `heading_rad`.
double fading_rate_factor(const ShapeFactors& shape, double heading_rad);
/// Variance of the spatial rate of the complex voltage, mean phase slope removed, in units of k^2 P: W / 2.
double rate_variance(const ShapeFactors& shape, double heading_rad);
/// Distance over which the envelope's autocovariance falls to a half, in wavelengths; infinite for W = 0.
double coherence_distance(const ShapeFactors& shape, double heading_rad);

/// Attenuation of the walls between two cells along the integer line that joins them (J. E. Bresenham, 1965), walked
/// from the cell of lower index so that both directions agree. A line steps diagonally through walls that are joined by
/// corners alone. The wall a line begins in does not count, unless it counts by the cell.
class WallWalker {
 public:
  explicit WallWalker(const GridMap& map);
  static constexpr double kUnitDb = 0.5;  // of what is kept
  static constexpr std::uint8_t kMost = 255;

  /// In units of kUnitDb, at most kMost.
  [[nodiscard]] std::uint8_t between(std::uint32_t from, std::uint32_t to) const;

 private:
  const GridMap& map_;
  std::size_t materials_;
  std::vector<std::uint16_t> step_;  // cost of going from a cell of one material to the next, by both
};

/// What arrives at one position from one sender.
struct Arrival {
  AngularMoments moments;
  double direct = 0;  // power that has met no reflecting wall
  double power = 0;   // all of it

  [[nodiscard]] double direct_share() const { return power > 0 ? direct / power : 1; }
};

struct TraceSettings {
  std::uint32_t rays = 720;
  std::uint32_t reflections = 3;
  double faintest = 1e-6;   // share of the power sent along a ray below which it is given up
  std::uint32_t block = 4;  // cells along the side of a receiving block
};

/// Blocks along a side of so many cells.
constexpr std::uint32_t blocks_along(std::uint32_t cells, std::uint32_t block) {
  return cells / block + (cells % block > 0 ? 1 : 0);
}

/// Sends rays all around from the middle of a block and follows them as walls reflect them (as dielectrics, E-field
/// upright: ITU-R P.2040-3) and let them through (less the wall's loss). The power that each block receives is the sum
/// over rays of weight x way through the block / way so far: that of waves that spread in space. By block, from the
/// south-west.
std::vector<Arrival> trace_from(const GridMap& map, std::uint32_t sender_block, const TraceSettings& settings);

/// The same rays as one block receives them, each where it comes from: its Arrival is their sum.
std::vector<Ray> rays_between(const GridMap& map, std::uint32_t sender_block, std::uint32_t receiver_block,
                              const TraceSettings& settings);

}  // namespace hilgate

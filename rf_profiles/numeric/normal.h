// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <span>

#include "rf_profiles/numeric/elementary.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// A standard normal draw, by G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates",
/// 1958. Uses two uniform draws.
inline double draw_normal(FrameRandom& random) {
  const double radius = std::sqrt(-2 * natural_log(random.uniform()));
  return radius * circle_at(random.uniform()).cosine;
}

/// Where a draw of many is made: as FrameRandom(seed, stream, frame).
struct DrawPlace {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;
  std::uint64_t frame = 0;
};

/// The first draw_normal() for each DrawPlace. `draws` is as long as `places`.
void draw_normals(std::span<const DrawPlace> places, std::span<double> draws);

/// A draw of CN(0, 1) for each DrawPlace, mean power 1: the power is exponential, the phase uniform. From one block of
/// random bits, so not from the numbers that draw_normals() takes.
void draw_complex_normals(std::span<const DrawPlace> places, std::span<std::complex<double>> draws);

/// The standard normal distribution function: by the complementary error function.
double normal_probability(double z);

/// Its inverse, for a probability in (0, 1): M. J. Wichura, "Algorithm AS 241: The percentage points of the normal
/// distribution", Applied Statistics 37 (1988), routine PPND16, about 1 part in 10^16. 0 and 1 give infinities.
double normal_quantile(double probability);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/link_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rf_profiles/numeric/normal.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kLinkSalt = 0x6C'69'6E'6B'73'70'72'64;  // "linksprd"
constexpr double kLeastLoss = 1e-12;  // of a frame: less, and more than 1 less this, is taken as 0 and 1

/// D. B. Owen, 1956: the integral of exp(-h^2 (1 + x^2) / 2) / (1 + x^2) from 0 to a, over 2 pi; by Simpson's rule.
double owens_t(double h, double a) {
  constexpr int kSteps = 200;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = a * i / kSteps;
    const double weight = i == 0 || i == kSteps ? 1 : i % 2 != 0 ? 4 : 2;
    sum += weight * std::exp(-h * h * (1 + x * x) / 2) / (1 + x * x);
  }
  return sum * a / (3.0 * kSteps) / (2 * std::numbers::pi);
}

}  // namespace

double LinkSpread::own(std::uint32_t link) const {
  FrameRandom random(seed ^ kLinkSalt, link, 0);
  return draw_normal(random);
}

double LinkSpread::hazard(double hazard, double own) const {
  const double loss = -std::expm1(-hazard * frame_bits);
  if (share == 0 || !(loss > kLeastLoss && loss < 1 - kLeastLoss)) {
    return hazard;
  }
  const double limit = (normal_quantile(loss) + std::sqrt(share) * own) / std::sqrt(1 - share);
  return -std::log(std::max(normal_probability(-limit), std::numeric_limits<double>::min())) / frame_bits;
}

// Both numbers of the pair are below the same limit, with the correlation `share`.
double loss_beside_loss(double loss, double share) {
  if (!(loss > kLeastLoss && loss < 1 - kLeastLoss)) {
    return loss;
  }
  const double limit = normal_quantile(loss);
  const double both = loss - 2 * owens_t(limit, std::sqrt((1 - share) / (1 + share)));
  return std::clamp(both / loss, loss, 1.0);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/distance_models.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "config/range.h"
#include "config/yaml_reader.h"
#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/path_loss/limited_loss.h"

namespace hilgate {

void Disc::read(YamlReader& loss) {
  range_m = within<Metres>(loss, "range", 0.001, 1e9).value;
}

namespace {

HILGATE_VECTOR_CODE void friis_losses(const FormulaOf<Friis>& formula, const PairBatch& pairs, double* loss_db) {
  limited_losses_db(formula, pairs, loss_db);
}

}  // namespace

void Friis::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  friis_losses({*this, carrier}, pairs, loss_db);
}

namespace {

HILGATE_VECTOR_CODE void log_distance_losses(const FormulaOf<LogDistance>& formula, const PairBatch& pairs,
                                             double* loss_db) {
  limited_losses_db(formula, pairs, loss_db);
}

}  // namespace

void LogDistance::read(YamlReader& loss) {
  exponent = number_within(loss, "exponent", 0, 10);
  reference = within<Decibels>(loss, "reference_loss", 0, 200);
  reference_m = within<Metres>(loss, "reference_distance", 0.001, 1e6).value;
}

void LogDistance::losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const {
  log_distance_losses({*this, carrier}, pairs, loss_db);
}

void MininetLogDistance::read(YamlReader& loss) {
  exponent = number_within(loss, "exponent", 0, 10);
}

double MininetLogDistance::loss_db(double d_m, double f_hz) const {
  const double first_metre = std::trunc(20 * decades(4 * std::numbers::pi * f_hz / kLightSpeed));
  return first_metre + std::trunc(10 * exponent * decades(d_m));
}

void ThreeLogDistance::read(YamlReader& loss) {
  reference = within<Decibels>(loss, "reference_loss", 0, 200);
  std::size_t ranges = 0;
  for (YamlReader& range : loss.items("ranges")) {
    if (ranges < std::size(begin_m)) {
      begin_m[ranges] = within<Metres>(range, "from", 0.001, 1e6).value;
      exponent[ranges] = number_within(range, "exponent", 0, 10);
    }
    ++ranges;
  }
  if (ranges != std::size(begin_m) || !(begin_m[0] < begin_m[1] && begin_m[1] < begin_m[2])) {
    loss.fault("needs 'ranges' with three entries {from, exponent} in increasing distance");
  }
}

double ThreeLogDistance::loss_db(double d_m) const {
  if (d_m < begin_m[0]) {
    return 0;
  }
  double loss = reference.value;
  for (int i = 0; i < 3 && d_m >= begin_m[i]; ++i) {
    const double end_m = i < 2 ? std::min(d_m, begin_m[i + 1]) : d_m;
    loss += 10 * exponent[i] * decades(end_m / begin_m[i]);
  }
  return loss;
}

namespace {

using Complex = std::complex<double>;

}  // namespace

Decibels two_ray_exact_loss(const GroundLink& link, Hertz frequency, Complex reflection, Decibels cap) {
  const double wavelength = kLightSpeed / frequency.value;
  const double k = 2 * std::numbers::pi / wavelength;
  const double direct = std::hypot(link.d2d_m, link.tx_height_m - link.rx_height_m);
  const double bounced = std::hypot(link.d2d_m, link.tx_height_m + link.rx_height_m);
  const Complex sum = std::polar(1 / direct, -k * direct) + reflection * std::polar(1 / bounced, -k * bounced);
  const double amplitude = wavelength / (4 * std::numbers::pi) * std::abs(sum);
  return amplitude > 0 ? std::min(Decibels{-20 * decades(amplitude)}, cap) : cap;
}

Complex ground_reflection(const GroundLink& link, Complex eta) {
  const double grazing = std::atan2(link.tx_height_m + link.rx_height_m, link.d2d_m);
  const double cosine = std::cos(grazing);
  const Complex root = std::sqrt(eta - cosine * cosine);
  const Complex upright = eta * std::sin(grazing);
  return (upright - root) / (upright + root);
}

void TwoRayExact::read(YamlReader& loss) {
  const auto name = loss.optional<std::string>("ground", "ideal");
  ideal_ground = name == "ideal";
  if (ideal_ground) {
    return;
  }
  const auto material = builtin_material(name);
  if (!material || !std::holds_alternative<SlabConstants>(material->loss)) {
    loss.fault(
        "ground",
        "'" + name + "' is not a ground; allowed: ideal, very_dry_ground, medium_dry_ground, wet_ground, concrete");
    return;
  }
  ground = std::get<SlabConstants>(material->loss);
}

double TwoRayExact::loss_db(const PairGeometry& pair, const Carrier& carrier) const {
  const GroundLink link = above_ground(pair);
  const Complex reflection = ideal_ground ? -1.0 : ground_reflection(link, ground.eta(carrier.frequency()));
  return two_ray_exact_loss(link, carrier.frequency(), reflection, cap).value;
}

Decibels two_ray_ground_loss(const GroundLink& link, Hertz frequency) {
  constexpr double kNoLossUpTo = 0.5;
  const double d_m = std::hypot(link.d2d_m, link.tx_height_m - link.rx_height_m);
  const double heights = link.tx_height_m * link.rx_height_m;
  if (d_m <= kNoLossUpTo) {
    return {0};
  }
  const double crossover_m = 4 * std::numbers::pi * heights * frequency.value / kLightSpeed;
  return {d_m <= crossover_m ? friis_loss_db(d_m, frequency.value) : 40 * decades(d_m) - 20 * decades(heights)};
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/two_ray_exact.h"

#include <cmath>
#include <numbers>

#include "config/yaml_reader.h"

namespace hilgate {
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

}  // namespace hilgate

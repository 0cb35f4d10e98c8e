// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/material.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/decibel.h"

namespace hilgate {
namespace {

using Complex = std::complex<double>;

/// The half-space reflection coefficient and the phase through the slab.
struct Fresnel {
  Complex reflection;
  Complex root;
};

Fresnel fresnel(const Complex& eta, double incidence_rad, Polarisation polarisation) {
  const double cosine = std::cos(incidence_rad);
  const double sine = std::sin(incidence_rad);
  const Complex root = std::sqrt(eta - sine * sine);
  if (polarisation == Polarisation::kTE) {
    return {(cosine - root) / (cosine + root), root};
  }
  return {(eta * cosine - root) / (eta * cosine + root), root};
}

Complex phase_through(const Fresnel& face, double f_hz, double thickness_m) {
  return 2 * std::numbers::pi * thickness_m * f_hz / kLightSpeed * face.root;
}

double loss_of(const Complex& amplitude) {
  return -20 * decades(std::abs(amplitude));
}

Complex transmission(const SlabConstants& slab, double f_hz, double thickness_m, double incidence_rad,
                     Polarisation polarisation) {
  const Fresnel face = fresnel(slab.eta(f_hz), incidence_rad, polarisation);
  const Complex square = face.reflection * face.reflection;
  const Complex through = std::exp(Complex(0, -1) * phase_through(face, f_hz, thickness_m));
  return (1.0 - square) * through / (1.0 - square * through * through);
}

}  // namespace

double SlabConstants::permittivity(double f_hz) const {
  return a * std::pow(f_hz / 1e9, b);
}
double SlabConstants::conductivity(double f_hz) const {
  return c * std::pow(f_hz / 1e9, d);
}
Complex SlabConstants::eta(double f_hz) const {
  return {permittivity(f_hz), -17.98 * conductivity(f_hz) / (f_hz / 1e9)};
}

double slab_transmission_loss_db(const SlabConstants& slab, double f_hz, double thickness_m, double incidence_rad,
                                 Polarisation polarisation) {
  return loss_of(transmission(slab, f_hz, thickness_m, incidence_rad, polarisation));
}

double slab_reflection_loss_db(const SlabConstants& slab, double f_hz, double thickness_m, double incidence_rad,
                               Polarisation polarisation) {
  const Fresnel face = fresnel(slab.eta(f_hz), incidence_rad, polarisation);
  const Complex twice = std::exp(Complex(0, -2) * phase_through(face, f_hz, thickness_m));
  return loss_of(face.reflection * (1.0 - twice) / (1.0 - face.reflection * face.reflection * twice));
}

double halfspace_reflection_loss_db(const SlabConstants& slab, double f_hz, double incidence_rad,
                                    Polarisation polarisation) {
  return loss_of(fresnel(slab.eta(f_hz), incidence_rad, polarisation).reflection);
}

WallLoss::WallLoss(const Material& material, double f_hz) : wavenumber_(2 * std::numbers::pi * f_hz / kLightSpeed) {
  if (const auto* const fixed = std::get_if<FixedLoss>(&material.loss)) {
    fixed_db_ = fixed->db;
  } else {
    eta_ = std::get<SlabConstants>(material.loss).eta(f_hz);
  }
}

double WallLoss::db(const WallCrossing& crossing) const {
  if (fixed_db_) {
    return std::clamp(*fixed_db_, 0.0, kMostWallLossDb);
  }
  // At the very edge nothing gets in, and the formula is 0/0.
  const double cosine = std::max(std::cos(crossing.incidence_rad), 1e-6);
  const Complex root = std::sqrt(eta_ - (1 - cosine * cosine));
  const Complex through = std::exp(Complex(0, -1) * wavenumber_ * crossing.thickness_m * cosine * root);
  const Complex te = (cosine - root) / (cosine + root);
  const Complex tm = (eta_ * cosine - root) / (eta_ * cosine + root);
  const auto power = [&](const Complex& reflection) {
    const Complex square = reflection * reflection;
    return std::norm((1.0 - square) * through / (1.0 - square * through * through));
  };
  const double loss = -db_of((power(te) + power(tm)) / 2);
  // A wave that underflows to nothing has an infinite loss; the comparison also takes what is no number.
  return loss < kMostWallLossDb ? std::max(loss, 0.0) : kMostWallLossDb;
}

const std::vector<Material>& builtin_materials() {
  static const std::vector<Material> kMaterials{
      // ITU-R P.2040-3 table 3
      {"concrete", SlabConstants{5.24, 0, 0.0462, 0.7822}},
      {"brick", SlabConstants{3.91, 0, 0.0238, 0.16}},
      {"plasterboard", SlabConstants{2.73, 0, 0.0085, 0.9395}},
      {"wood", SlabConstants{1.99, 0, 0.0047, 1.0718}},
      {"glass", SlabConstants{6.31, 0, 0.0036, 1.3394}},
      {"ceiling_board", SlabConstants{1.48, 0, 0.0011, 1.0750}},
      {"chipboard", SlabConstants{2.58, 0, 0.0217, 0.78}},
      {"plywood", SlabConstants{2.71, 0, 0.33, 0}},
      {"marble", SlabConstants{7.074, 0, 0.0055, 0.9262}},
      {"metal", SlabConstants{1, 0, 1e7, 0}},
      {"very_dry_ground", SlabConstants{3, 0, 0.00015, 2.52}},
      {"medium_dry_ground", SlabConstants{15, -0.1, 0.035, 1.63}},
      {"wet_ground", SlabConstants{30, -0.4, 0.15, 1.30}},
      // per wall, as fixed in ns-3's BuildingsPropagationLossModel
      {"wall_wood", FixedLoss{4}},
      {"wall_windows", FixedLoss{7}},
      {"wall_concrete", FixedLoss{15}},
      {"wall_stone", FixedLoss{12}},
      {"building", FixedLoss{14}},
  };
  return kMaterials;
}

std::optional<Material> builtin_material(std::string_view name) {
  for (const Material& material : builtin_materials()) {
    if (material.name == name) {
      return material;
    }
  }
  return std::nullopt;
}

}  // namespace hilgate

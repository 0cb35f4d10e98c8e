// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/material.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/vector_code.h"

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

Complex phase_through(const Fresnel& face, Hertz frequency, double thickness_m) {
  return 2 * std::numbers::pi * thickness_m * frequency.value / kLightSpeed * face.root;
}

Decibels loss_of(const Complex& amplitude) {
  return {-20 * decades(std::abs(amplitude))};
}

Complex transmission(const SlabConstants& slab, Hertz frequency, double thickness_m, double incidence_rad,
                     Polarisation polarisation) {
  const Fresnel face = fresnel(slab.eta(frequency), incidence_rad, polarisation);
  const Complex square = face.reflection * face.reflection;
  const Complex through = std::exp(Complex(0, -1) * phase_through(face, frequency, thickness_m));
  return (1.0 - square) * through / (1.0 - square * through * through);
}

/// A complex number whose products and quotients are the plain formulas: the loop over many walls becomes vector code.
struct Plain {
  double re = 0;
  double im = 0;
  [[nodiscard]] double norm() const { return re * re + im * im; }
  friend Plain operator+(Plain a, Plain b) { return {a.re + b.re, a.im + b.im}; }
  friend Plain operator-(Plain a, Plain b) { return {a.re - b.re, a.im - b.im}; }
  friend Plain operator*(Plain a, Plain b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend Plain operator/(Plain a, Plain b) {
    const double norm = b.norm();
    return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
  }
};

/// Principal root of a number with an imaginary part that is not above 0. The greater part by the root, the other by
/// quotient, which keeps its digits.
Plain root_below_axis(Plain z) {
  const double greater = std::sqrt((std::sqrt(z.norm()) + std::abs(z.re)) / 2);
  const double lesser = greater > 0 ? z.im / (2 * greater) : 0;  // at most 0
  return {z.re >= 0 ? greater : -lesser, z.re >= 0 ? lesser : -greater};
}

/// Power through a slab with that reflection at its faces, `through` being the wave's factor from one to the other.
double power_through(Plain reflection, Plain through) {
  const Plain square = reflection * reflection;
  return ((Plain{1, 0} - square) * through).norm() / (Plain{1, 0} - square * through * through).norm();
}

/// As WallLoss::db(); the phase on the way through is `phase_per_root` times cosine of incidence times root.
double slab_loss_db(Plain eta, double phase_per_root, double incidence_rad) {
  // At the very edge nothing gets in, and the formula is 0/0.
  const double upright = circle_at(incidence_rad / (2 * std::numbers::pi)).cosine;
  const double cosine = upright > 1e-6 ? upright : 1e-6;
  const Plain root = root_below_axis({eta.re - (1 - cosine * cosine), eta.im});
  const double phase = phase_per_root * cosine;
  const double fades = power_of_two(phase * root.im * std::numbers::log2e);
  const CirclePoint turn = circle_at(phase * root.re / (2 * std::numbers::pi));
  const Plain through{fades * turn.cosine, -fades * turn.sine};
  const Plain face{cosine, 0};
  const Plain dense{eta.re * cosine, eta.im * cosine};
  const double te = power_through((face - root) / (face + root), through);
  const double tm = power_through((dense - root) / (dense + root), through);
  const double loss = -db_of((te + tm) / 2);
  // A wave that fades to nothing has an infinite loss; the comparison also takes what is no number.
  const double positive = loss > 0 ? loss : 0;
  return loss < kMostWallLossDb ? positive : kMostWallLossDb;
}

}  // namespace

double SlabConstants::permittivity(Hertz frequency) const {
  return a * std::pow(frequency.value / 1e9, b);
}
double SlabConstants::conductivity(Hertz frequency) const {
  return c * std::pow(frequency.value / 1e9, d);
}
Complex SlabConstants::eta(Hertz frequency) const {
  return {permittivity(frequency), -17.98 * conductivity(frequency) / (frequency.value / 1e9)};
}

Decibels slab_transmission_loss(const SlabConstants& slab, Hertz frequency, double thickness_m, double incidence_rad,
                                Polarisation polarisation) {
  return loss_of(transmission(slab, frequency, thickness_m, incidence_rad, polarisation));
}

Decibels slab_reflection_loss(const SlabConstants& slab, Hertz frequency, double thickness_m, double incidence_rad,
                              Polarisation polarisation) {
  const Fresnel face = fresnel(slab.eta(frequency), incidence_rad, polarisation);
  const Complex twice = std::exp(Complex(0, -2) * phase_through(face, frequency, thickness_m));
  return loss_of(face.reflection * (1.0 - twice) / (1.0 - face.reflection * face.reflection * twice));
}

Decibels halfspace_reflection_loss(const SlabConstants& slab, Hertz frequency, double incidence_rad,
                                   Polarisation polarisation) {
  return loss_of(fresnel(slab.eta(frequency), incidence_rad, polarisation).reflection);
}

WallLoss::WallLoss(const Material& material, Hertz frequency)
    : wavenumber_(2 * std::numbers::pi * frequency.value / kLightSpeed) {
  if (const auto* const fixed = std::get_if<FixedLoss>(&material.loss)) {
    fixed_db_ = fixed->db;
  } else {
    eta_ = std::get<SlabConstants>(material.loss).eta(frequency);
  }
}

double WallLoss::db(const WallCrossing& crossing) const {
  double loss_db = 0;
  WallBatch one;
  one.add(*this, crossing, 0);
  one.add_losses(std::span(&loss_db, 1));
  return loss_db;
}

void WallBatch::add(const WallLoss& wall, const WallCrossing& crossing, std::size_t at) {
  at_[size_] = static_cast<std::uint32_t>(at);
  if (wall.fixed_db_) {  // as a slab that takes nothing, and its loss by the side
    fixed_db_[size_] = std::clamp(*wall.fixed_db_, 0.0, kMostWallLossDb);
    eta_real_[size_] = 1;
    eta_imag_[size_] = phase_per_root_[size_] = incidence_rad_[size_] = 0;
  } else {
    fixed_db_[size_] = 0;
    eta_real_[size_] = wall.eta_.real();
    eta_imag_[size_] = wall.eta_.imag();
    phase_per_root_[size_] = wall.wavenumber_ * crossing.thickness_m;
    incidence_rad_[size_] = crossing.incidence_rad;
  }
  ++size_;
}

void WallBatch::add_losses(std::span<double> loss_db) {
  compute();
  for (std::size_t i = 0; i < size_; ++i) {
    loss_db[at_[i]] += loss_db_[i];
  }
  size_ = 0;
}

HILGATE_VECTOR_CODE void WallBatch::compute() {
#pragma omp simd
  for (std::size_t i = 0; i < size_; ++i) {
    const double slab = slab_loss_db({eta_real_[i], eta_imag_[i]}, phase_per_root_[i], incidence_rad_[i]);
    loss_db_[i] = fixed_db_[i] + slab;
  }
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

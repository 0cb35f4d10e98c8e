// SPDX-License-Identifier: Apache-2.0
// What walls are made of, and what a radio wave loses in them.
//
// Slabs follow ITU-R P.2040-3: permittivity and conductivity from four constants, transmission through a
// homogeneous slab with all its inner reflections. Losses are not monotonic in frequency: thin slabs resonate.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/units.h"
#include "physics_link/scene.h"

namespace hilgate {

/// relative permittivity a f^b, conductivity c f^d in S/m, f in GHz (P.2040-3, table 3).
struct SlabConstants {
  double a = 1;
  double b = 0;
  double c = 0;
  double d = 0;

  [[nodiscard]] double permittivity(Hertz frequency) const;
  [[nodiscard]] double conductivity(Hertz frequency) const;
  /// Complex relative permittivity: permittivity - j 17.98 conductivity / f.
  [[nodiscard]] std::complex<double> eta(Hertz frequency) const;
};

/// A loss that was measured per crossing, whatever the thickness and the angle.
struct FixedLoss {
  double db = 0;
};

struct Material {
  std::string name;
  std::variant<SlabConstants, FixedLoss> loss;
};

enum class Polarisation { kTE, kTM };

/// Losses of a slab, positive; `incidence_rad` from the normal, in [0, pi/2).
Decibels slab_transmission_loss(const SlabConstants& slab, Hertz frequency, double thickness_m, double incidence_rad,
                                Polarisation polarisation);
Decibels slab_reflection_loss(const SlabConstants& slab, Hertz frequency, double thickness_m, double incidence_rad,
                              Polarisation polarisation);
/// Of the first surface alone.
Decibels halfspace_reflection_loss(const SlabConstants& slab, Hertz frequency, double incidence_rad,
                                   Polarisation polarisation);

inline constexpr double kMostWallLossDb = 300;  // beyond any receiver; keeps sums finite

/// A material at one frequency, prepared to be asked often.
class WallLoss {
 public:
  WallLoss(const Material& material, Hertz frequency);
  /// What one crossing costs, in [0, kMostWallLossDb]. Slabs: the mean of both polarisations' power, since antennas of
  /// robots point anywhere; the slab's thickness is the way through the wall times the cosine of the incidence.
  [[nodiscard]] double db(const WallCrossing& crossing) const;

 private:
  friend class WallBatch;
  std::optional<double> fixed_db_;
  std::complex<double> eta_;
  double wavenumber_;  // 2 pi / wavelength
};

/// Crossings of walls by many pairs, whose losses are computed together.
class WallBatch {
 public:
  void clear() { size_ = 0; }
  /// A crossing whose loss belongs to entry `at`. The batch must not be full.
  void add(const WallLoss& wall, const WallCrossing& crossing, std::size_t at);
  [[nodiscard]] bool full() const { return size_ == kMost; }
  /// Adds each loss to its entry, and clears.
  void add_losses(std::span<double> loss_db);

 private:
  void compute();

  static constexpr std::size_t kMost = 64;
  std::size_t size_ = 0;
  std::array<std::uint32_t, kMost> at_;
  alignas(64) std::array<double, kMost> eta_real_, eta_imag_, phase_per_root_, incidence_rad_, fixed_db_, loss_db_;
};

/// The materials every run knows: P.2040's by its names with underscores (`brick`, `ceiling_board`, ...), the external
/// walls of ns-3's BuildingsPropagationLossModel (`wall_wood`, `wall_windows`, `wall_concrete`, `wall_stone`) and
/// `building`, 14 dB for a whole building (13 to 15 dB fit the buildings of ROS-NetSim's patrol).
const std::vector<Material>& builtin_materials();

/// The built-in material of that name, or nothing.
std::optional<Material> builtin_material(std::string_view name);

}  // namespace hilgate

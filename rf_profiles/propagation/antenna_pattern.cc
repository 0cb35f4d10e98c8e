// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/antenna_pattern.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace hilgate {
namespace {

constexpr double kDegrees = 180 / M_PI;
constexpr double kDipolePeak = 1.643;

double azimuth_of(const Vec3& to) {
  return std::atan2(to.y, to.x);
}
double elevation_of(const Vec3& to) {
  return std::atan2(to.z, std::hypot(to.x, to.y));
}

// The two entries around a value in a rising list, and how far it is from the first to the second.
struct Between {
  std::size_t low = 0;
  std::size_t high = 0;
  double part = 0;
};

Between between(const std::vector<double>& places, double value) {
  const auto above = std::upper_bound(places.begin(), places.end(), value);
  if (above == places.begin()) {
    return {};
  }
  const auto low = static_cast<std::size_t>(above - places.begin()) - 1;
  if (above == places.end()) {
    return {low, low, 0};
  }
  return {low, low + 1, (value - places[low]) / (places[low + 1] - places[low])};
}

// After the last entry comes the first again.
Between around(const std::vector<double>& places, double degrees) {
  const double gap = places.front() + 360 - places.back();
  if (gap <= 0 || (degrees >= places.front() && degrees <= places.back())) {
    return between(places, degrees);
  }
  const double past = degrees > places.back() ? degrees - places.back() : degrees + 360 - places.back();
  return {places.size() - 1, 0, past / gap};
}

}  // namespace

Decibels DipolePattern::gain(const Vec3& to) {
  const double flat = std::hypot(to.x, to.y);
  if (flat == 0) {
    return kLeastGain;
  }
  // cos(pi/2 cos t) as sin(pi/2 (1 - cos t)), which is exact near the axis, too.
  const double length = std::hypot(flat, to.z);
  const double sine = flat / length;
  const double cosine = std::abs(to.z) / length;
  const double field = std::sin(M_PI / 2 * sine * sine / (1 + cosine)) / sine;
  return std::max(Decibels{10 * std::log10(kDipolePeak * field * field)}, kLeastGain);
}

Decibels SectorPattern::gain(const Vec3& to) const {
  const double aside = azimuth_of(to) / width.value;
  const double above = elevation_of(to) / height.value;
  const double most = front_to_back.value;
  const double down = std::min(12 * aside * aside, most) + std::min(12 * above * above, most);
  return peak - Decibels{std::min(down, most)};
}

Decibels TablePattern::gain(const Vec3& to) const {
  const Between across = around(azimuths_deg, azimuth_of(to) * kDegrees);
  const Between up = between(elevations_deg, elevation_of(to) * kDegrees);
  const auto row = [&](std::size_t elevation) {
    const double* const gains = &gains_db[elevation * azimuths_deg.size()];
    return std::lerp(gains[across.low], gains[across.high], across.part);
  };
  return {std::lerp(row(up.low), row(up.high), up.part)};
}

Decibels gain_in(const AntennaPattern& pattern, const Vec3& to) {
  return std::visit([&to](const auto& of) { return of.gain(to); }, pattern);
}

Decibels greatest_gain(const AntennaPattern& pattern) {
  if (const auto* const sector = std::get_if<SectorPattern>(&pattern)) {
    return sector->peak;
  }
  if (const auto* const table = std::get_if<TablePattern>(&pattern)) {
    return {*std::max_element(table->gains_db.begin(), table->gains_db.end())};
  }
  return gain_in(pattern, {1, 0, 0});  // of a dipole: abeam
}

bool is_isotropic(const AntennaPattern& pattern) {
  return std::holds_alternative<IsotropicPattern>(pattern);
}

}  // namespace hilgate

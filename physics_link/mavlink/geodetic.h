// SPDX-License-Identifier: Apache-2.0
// Positions on the earth, and a flat frame around one of them.
//
// WGS 84 to earth-centred coordinates and from there into the tangent plane at the origin (NIMA TR8350.2, 2000,
// eq. 4-14 and the usual rotation): exact, so that it holds for vehicles far apart, too.
#pragma once

#include <cmath>

#include "physics_link/scene.h"

namespace hilgate::mavlink {

struct Geodetic {
  double lat_deg = 0;  // [-90, 90], north positive
  double lon_deg = 0;  // [-180, 180], east positive
  double alt_m = 0;    // above mean sea level or the ellipsoid: the same for all that are compared
  friend bool operator==(const Geodetic&, const Geodetic&) = default;
};

// Of the ellipsoid.
inline constexpr double kEquator = 6378137.0;  // m
inline constexpr double kFlattening = 1 / 298.257223563;
inline constexpr double kEccentricity2 = kFlattening * (2 - kFlattening);  // squared

inline Vec3 earth_centred(const Geodetic& place) {
  const double lat = place.lat_deg * M_PI / 180;
  const double lon = place.lon_deg * M_PI / 180;
  const double curvature = kEquator / std::sqrt(1 - kEccentricity2 * std::sin(lat) * std::sin(lat));
  return {(curvature + place.alt_m) * std::cos(lat) * std::cos(lon),
          (curvature + place.alt_m) * std::cos(lat) * std::sin(lon),
          (curvature * (1 - kEccentricity2) + place.alt_m) * std::sin(lat)};
}

/// East, north, up of `origin`, metres, of earth-centred coordinates.
inline Vec3 enu_of_centred(const Vec3& to, const Geodetic& origin) {
  const Vec3 from = earth_centred(origin);
  const Vec3 d{to.x - from.x, to.y - from.y, to.z - from.z};
  const double lat = origin.lat_deg * M_PI / 180;
  const double lon = origin.lon_deg * M_PI / 180;
  return {-std::sin(lon) * d.x + std::cos(lon) * d.y,
          -std::sin(lat) * std::cos(lon) * d.x - std::sin(lat) * std::sin(lon) * d.y + std::cos(lat) * d.z,
          std::cos(lat) * std::cos(lon) * d.x + std::cos(lat) * std::sin(lon) * d.y + std::sin(lat) * d.z};
}

/// East, north, up of `origin`, metres.
inline Vec3 enu_of(const Geodetic& place, const Geodetic& origin) {
  return enu_of_centred(earth_centred(place), origin);
}

/// The point at these metres east, north and up of `origin`: the inverse of enu_of(), to 1e-9 degrees and 1 mm below
/// 100 km of height.
inline Geodetic geodetic_of(const Vec3& enu, const Geodetic& origin) {
  constexpr int kRounds = 5;  // each gains three digits
  const Vec3 from = earth_centred(origin);
  const double lat0 = origin.lat_deg * M_PI / 180;
  const double lon0 = origin.lon_deg * M_PI / 180;
  const double outwards = -std::sin(lat0) * enu.y + std::cos(lat0) * enu.z;  // from the axis
  const double x = from.x - std::sin(lon0) * enu.x + std::cos(lon0) * outwards;
  const double y = from.y + std::cos(lon0) * enu.x + std::sin(lon0) * outwards;
  const double z = from.z + std::cos(lat0) * enu.y + std::sin(lat0) * enu.z;
  const double axis = std::hypot(x, y);
  double lat = std::atan2(z, axis * (1 - kEccentricity2));
  for (int i = 0; i < kRounds; ++i) {
    const double curvature = kEquator / std::sqrt(1 - kEccentricity2 * std::sin(lat) * std::sin(lat));
    lat = std::atan2(z + kEccentricity2 * curvature * std::sin(lat), axis);
  }
  const double alt = axis * std::cos(lat) + z * std::sin(lat) -
                     kEquator * std::sqrt(1 - kEccentricity2 * std::sin(lat) * std::sin(lat));
  return {lat * 180 / M_PI, std::atan2(y, x) * 180 / M_PI, alt};
}

}  // namespace hilgate::mavlink

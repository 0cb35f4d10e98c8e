// SPDX-License-Identifier: Apache-2.0
#include "physics_link/height_grid.h"

#include <algorithm>
#include <cmath>

namespace hilgate {

double HeightGrid::at(double x, double y) const {
  const auto [west_m, south_m, step_m, columns, rows] = layout_;
  const double across = std::clamp((x - west_m) / step_m, 0.0, static_cast<double>(columns - 1));
  const double up = std::clamp((y - south_m) / step_m, 0.0, static_cast<double>(rows - 1));
  const std::size_t column = std::min(static_cast<std::size_t>(across), columns - 2);
  const std::size_t row = std::min(static_cast<std::size_t>(up), rows - 2);
  const double right = across - static_cast<double>(column);
  const double above = up - static_cast<double>(row);
  const float* const south = &heights_m_[row * columns + column];
  const float* const north = south + columns;
  const double low = south[0] + right * (south[1] - south[0]);
  const double high = north[0] + right * (north[1] - north[0]);
  return low + above * (high - low);
}

double HeightGrid::above_sea(double x, double y) const {
  constexpr double kEarth = 6'371'000;  // m, mean radius
  return at(x, y) + sea_m_ + (x * x + y * y) / (2 * kEarth);
}

bool HeightGrid::blocks(const Segment& ray) const {
  const auto [east, north, up] = ray.direction();
  const double flat_m = std::hypot(east, north);
  const auto steps = static_cast<std::size_t>(std::ceil(flat_m / layout_.step_m));
  for (std::size_t i = 1; i < steps; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(steps);
    if (at(ray.a.x + t * east, ray.a.y + t * north) > ray.a.z + t * up) {
      return true;
    }
  }
  return false;
}

}  // namespace hilgate

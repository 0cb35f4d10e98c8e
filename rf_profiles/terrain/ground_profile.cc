// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/ground_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rf_profiles/propagation/diffraction.h"

namespace hilgate {
namespace {

constexpr double kLeastSteps = 4;
constexpr double kMostSteps = 1999;

double steps_between(const HeightGrid& ground, double flat_m) {
  return std::clamp(std::ceil(flat_m / ground.layout().step_m), kLeastSteps, kMostSteps);
}

}  // namespace

TerrainProfile ground_profile(const HeightGrid& ground, const Vec3& from, const Vec3& to) {
  constexpr double kLowest = -500;   // m, what a profile may have; the curve of the earth rounds
  constexpr double kHighest = 9000;  // likewise
  const double flat_m = std::hypot(to.x - from.x, to.y - from.y);
  const double steps = steps_between(ground, flat_m);
  TerrainProfile profile;
  profile.step_m = flat_m / steps;
  for (int i = 0; i <= static_cast<int>(steps); ++i) {
    const double x = std::lerp(from.x, to.x, i / steps);
    const double y = std::lerp(from.y, to.y, i / steps);
    profile.height_m.push_back(std::clamp(ground.above_sea(x, y), kLowest, kHighest));
  }
  return profile;
}

Decibels ground_edge_loss(const HeightGrid& ground, const Vec3& from, const Vec3& to, Hertz frequency) {
  const double flat_m = std::hypot(to.x - from.x, to.y - from.y);
  if (!(flat_m > 0)) {
    return {};
  }
  const double steps = steps_between(ground, flat_m);
  double steepest_from = -std::numeric_limits<double>::infinity();
  double steepest_to = steepest_from;
  for (int i = 1; i < static_cast<int>(steps); ++i) {
    const double share = i / steps;
    const double height_m = ground.at(std::lerp(from.x, to.x, share), std::lerp(from.y, to.y, share));
    steepest_from = std::max(steepest_from, (height_m - from.z) / (share * flat_m));
    steepest_to = std::max(steepest_to, (height_m - to.z) / ((1 - share) * flat_m));
  }
  const double direct = (to.z - from.z) / flat_m;
  if (steepest_from <= direct) {
    return {};
  }
  const double edge_m = (to.z - from.z + steepest_to * flat_m) / (steepest_from + steepest_to);
  const double above_line_m = (steepest_from - direct) * edge_m;
  return knife_edge_loss(edge_parameter(above_line_m, edge_m, flat_m - edge_m, frequency));
}

}  // namespace hilgate

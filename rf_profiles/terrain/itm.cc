// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/itm.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "rf_profiles/terrain/itm_beyond_horizon.h"
#include "rf_profiles/terrain/itm_path.h"

namespace hilgate {
namespace {

constexpr std::string_view kItm = "ITM";

void require_itm(const ItmLink& link, double distance_m) {
  constexpr TerrainLimits kHeights{0.5, 3000, "m"};
  constexpr TerrainLimits kPercentages{0.01, 99.99, "%"};
  require_within(kItm, "frequency", link.ends.mhz(), {20, 20'000, "MHz"});
  require_within(kItm, "height of the transmitter", link.ends.tx_height_m, kHeights);
  require_within(kItm, "height of the receiver", link.ends.rx_height_m, kHeights);
  require_within(kItm, "refractivity", link.refractivity, {250, 400, "N-units"});
  require_within(kItm, "permittivity", link.permittivity, {1, 1000, ""});
  require_within(kItm, "conductivity", link.conductivity, {1e-9, 1000, "S/m"});
  require_within(kItm, "percentage of time", link.time, kPercentages);
  require_within(kItm, "percentage of locations", link.location, kPercentages);
  require_within(kItm, "percentage of situations", link.situation, kPercentages);
  require_within(kItm, "length of the path", distance_m / 1000, {1, 2000, "km"});
}

/// A0 + k1 d + k2 ln d through the losses at three distances (LR, eq. 3.19 to 3.21).
struct SightCurve {
  double at_zero_db = 0;
  double db_per_m = 0;
  double db_per_log = 0;

  [[nodiscard]] double at(double distance_m) const {
    return at_zero_db + db_per_m * distance_m + db_per_log * std::log(distance_m);
  }
};

struct LossPoint {
  double distance_m = 0;
  double db = 0;
};

/// The slopes of the curve through the three points, neither of them negative (LR, eq. 3.20, 3.21). Nothing where the
/// points are too near to one another, or call for a straight line.
std::optional<SightCurve> curved(const LossPoint& near, const LossPoint& middle, const LossPoint& far,
                                 const LossLine& diffraction) {
  if (!(near.distance_m < middle.distance_m)) {
    return std::nullopt;
  }
  const double log_far = std::log(far.distance_m / near.distance_m);
  const double to_far_m = far.distance_m - near.distance_m;
  const double to_middle_m = middle.distance_m - near.distance_m;
  SightCurve curve;
  curve.db_per_log =
      std::max(0.0, (to_far_m * (middle.db - near.db) - to_middle_m * (far.db - near.db)) /
                        (to_far_m * std::log(middle.distance_m / near.distance_m) - to_middle_m * log_far));
  if (!(diffraction.at_zero_db > 0 || curve.db_per_log > 0)) {
    return std::nullopt;
  }
  curve.db_per_m = (far.db - near.db - curve.db_per_log * log_far) / to_far_m;
  if (curve.db_per_m < 0) {
    curve.db_per_m = 0;
    curve.db_per_log = std::fdim(far.db, near.db) / log_far;
    if (curve.db_per_log == 0) {
      curve.db_per_m = diffraction.db_per_m;
    }
  }
  return curve;
}

SightCurve straight(const LossPoint& middle, const LossPoint& far, const LossLine& diffraction) {
  const double slope = std::fdim(far.db, middle.db) / (far.distance_m - middle.distance_m);
  return {0, slope == 0 ? diffraction.db_per_m : slope, 0};
}

/// Short of the horizon of a smooth earth: a curve from where two rays count alone to that horizon (ITM, 4.2).
double in_sight_db(const ItmPath& path, const LossLine& diffraction) {
  const double sight_m = path.sight_m();
  const LossPoint far{path.smooth_sight_m(), diffraction.at(path.smooth_sight_m())};
  LossPoint near{0.04 * path.mhz * path.ends[0].effective_m * path.ends[1].effective_m, 0};  // LR, eq. 3.16a
  LossPoint middle;
  if (diffraction.at_zero_db >= 0) {
    near.distance_m = std::min(near.distance_m, 0.5 * sight_m);
    middle.distance_m = near.distance_m + 0.25 * (sight_m - near.distance_m);  // LR, eq. 3.16d
  } else {
    middle.distance_m = std::max(-diffraction.at_zero_db / diffraction.db_per_m, 0.25 * sight_m);
  }
  near.db = itm_two_ray_db(path, near.distance_m, diffraction);
  middle.db = itm_two_ray_db(path, middle.distance_m, diffraction);
  SightCurve curve = curved(near, middle, far, diffraction).value_or(straight(middle, far, diffraction));
  curve.at_zero_db = far.db - curve.at(far.distance_m);
  return curve.at(path.distance_m);
}

/// Beyond it: diffraction, or scatter where that loses less (ITM, 4.3).
double out_of_sight_db(const ItmPath& path, const LossLine& diffraction) {
  const std::optional<LossLine> scatter = itm_scatter_line(path);
  if (!scatter) {
    return diffraction.at(path.distance_m);
  }
  const double scale_m = std::cbrt(path.earth_m * path.earth_m / path.mhz);
  const double meets_m = (scatter->at_zero_db - diffraction.at_zero_db) / (diffraction.db_per_m - scatter->db_per_m);
  const double from_m =
      std::max({path.smooth_sight_m(), path.sight_m() + 1.088 * scale_m * std::log(path.mhz), meets_m});
  const double beyond_m = std::max(0.0, path.distance_m - from_m);
  return diffraction.at(path.distance_m - beyond_m) + scatter->db_per_m * beyond_m;
}

Decibels loss_over(const ItmPath& path, const ItmLink& link) {
  const LossLine diffraction = itm_diffraction_line(path);
  const double reference_db =
      std::max(0.0, path.distance_m < path.smooth_sight_m() ? in_sight_db(path, diffraction)
                                                            : out_of_sight_db(path, diffraction));
  const double free_space_db = 32.45 + 20 * std::log10(path.mhz) + 20 * std::log10(path.distance_m / 1000);
  return {free_space_db + itm_exceeded_db(path, link, reference_db)};
}

}  // namespace

Decibels itm_loss(const ItmLink& link, const TerrainProfile& profile) {
  constexpr std::size_t kLeastHeights = 3;
  require_profile(kItm, profile, kLeastHeights);
  require_itm(link, profile.length_m());
  return loss_over(itm_path(link, profile), link);
}

Decibels itm_area_loss(const ItmLink& link, const ItmArea& area) {
  require_itm(link, area.distance_m);
  require_within(kItm, "roughness of the terrain", area.roughness_m, {0, 5000, "m"});
  return loss_over(itm_path(link, area), link);
}

}  // namespace hilgate

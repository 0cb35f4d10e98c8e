// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/itm_path.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace hilgate {
namespace {

/// A line through heights, by its values at the first and at the last of them.
struct HeightLine {
  double at_first = 0;
  double at_last = 0;
};

// By least squares through the heights from the `from`-th to the `to`-th (counted from 0, whole ones, the next ones
// where these are the same), each end with half the weight (ITM, 1.6).
HeightLine fit_line(std::span<const double> height_m, double from, double to) {
  const std::size_t last = height_m.size() - 1;
  const auto end = static_cast<double>(last);
  auto begin_at = static_cast<std::size_t>(std::fdim(from, 0.0));
  std::size_t end_at = last - static_cast<std::size_t>(std::fdim(end, to));
  if (end_at <= begin_at) {
    begin_at = begin_at == 0 ? 0 : begin_at - 1;
    end_at = end_at < last ? end_at + 1 : last;
  }
  const auto length = static_cast<double>(end_at - begin_at);
  const double middle = static_cast<double>(begin_at) + length / 2;
  double sum = 0;
  double moment = 0;
  for (std::size_t i = begin_at; i <= end_at; ++i) {
    const double weight = i == begin_at || i == end_at ? 0.5 : 1;
    sum += weight * height_m[i];
    moment += weight * height_m[i] * (static_cast<double>(i) - middle);
  }
  const double mean = sum / length;
  const double slope = 12 * moment / ((length * length + 2) * length);
  return {mean - slope * middle, mean + slope * (end - middle)};
}

/// The earth and the ground below a path of that mean height (TN101, eq. 4.3 and 4.4; ITM, 1.2).
void set_surroundings(ItmPath& path, const ItmLink& link, double mean_height_m) {
  constexpr double kEarthCurvature = 157e-9;  // 1/m
  constexpr double kScaleHeight = 9460;       // m
  path.mhz = link.ends.mhz();
  path.refractivity = link.refractivity * std::exp(-mean_height_m / kScaleHeight);
  path.earth_m = 1 / (kEarthCurvature * (1 - 0.04665 * std::exp(path.refractivity / 179.3)));
  const std::complex<double> eta(link.permittivity, 18'000 * link.conductivity / path.mhz);
  path.impedance = std::sqrt(eta - 1.0);
  if (link.ends.polarization == Polarization::kVertical) {
    path.impedance /= eta;
  }
  require_within("ITM", "refractivity at the height of the terrain", path.refractivity, {150, 400, "N-units"});
  require_within("ITM", "effective radius of the earth", path.earth_m / 1e3, {4000, 13'333.333, "km"});
  if (path.impedance.real() <= std::abs(path.impedance.imag())) {
    throw std::runtime_error(
        "ITM: the ground conducts too well for its permittivity at this frequency and polarization");
  }
}

/// Of the middle 80 % of the path.
double mean_height_m(std::span<const double> height_m) {
  const std::size_t skip = (height_m.size() - 1) / 10;
  const auto middle = height_m.subspan(skip, height_m.size() - 2 * skip);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

/// The highest elevation of ground between the ends, else that of the other end (TN101, eq. 6.15).
void find_horizons(ItmPath& path, const TerrainProfile& profile) {
  const double distance_m = path.distance_m;
  const double tx_m = profile.height_m.front() + path.ends[0].height_m;
  const double rx_m = profile.height_m.back() + path.ends[1].height_m;
  const auto elevation = [&](double rise_m, double away_m) { return rise_m / away_m - away_m / (2 * path.earth_m); };
  path.ends[0].horizon_rad = elevation(rx_m - tx_m, distance_m);
  path.ends[1].horizon_rad = elevation(tx_m - rx_m, distance_m);
  path.ends[0].horizon_m = path.ends[1].horizon_m = distance_m;
  const auto raise = [](ItmEnd& end, double rad, double away_m) {
    if (rad > end.horizon_rad) {
      end.horizon_rad = rad;
      end.horizon_m = away_m;
    }
  };
  for (std::size_t i = 1; i + 1 < profile.height_m.size(); ++i) {
    const double from_tx_m = static_cast<double>(i) * profile.step_m;
    const double from_rx_m = distance_m - from_tx_m;
    raise(path.ends[0], elevation(profile.height_m[i] - tx_m, from_tx_m), from_tx_m);
    raise(path.ends[1], elevation(profile.height_m[i] - rx_m, from_rx_m), from_rx_m);
  }
}

/// Part of a profile, in steps from its beginning.
struct ProfilePart {
  double from = 0;
  double to = 0;
};

/// `count` heights at equal steps over a part of a profile.
std::vector<double> resampled(std::span<const double> height_m, const ProfilePart& part, std::size_t count) {
  std::vector<double> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double at = part.from + (part.to - part.from) * static_cast<double>(i) / static_cast<double>(count - 1);
    const auto right = std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(at)), 1, height_m.size() - 1);
    const double back = at - static_cast<double>(right);  // -1 to 0
    out.push_back(height_m[right] + (height_m[right] - height_m[right - 1]) * back);
  }
  return out;
}

/// Range of the heights above their fitted line without the upper and the lower tenth, over any distance (LR, eq. 3).
double roughness_m(const TerrainProfile& profile, const ProfilePart& part) {
  constexpr double kFewSteps = 2;
  if (part.to - part.from < kFewSteps) {
    return 0;
  }
  const int tenth = std::clamp(static_cast<int>(0.1 * (part.to - part.from + 8)), 4, 25);
  const auto count = static_cast<std::size_t>(10 * tenth - 5);
  std::vector<double> above_m = resampled(profile.height_m, part, count);
  const auto last = static_cast<double>(count - 1);
  const HeightLine line = fit_line(above_m, 0, last);
  for (std::size_t i = 0; i < count; ++i) {
    above_m[i] -= line.at_first + (line.at_last - line.at_first) * static_cast<double>(i) / last;
  }
  std::sort(above_m.begin(), above_m.end(), std::greater<>());
  const double range_m =
      above_m[static_cast<std::size_t>(tenth - 1)] - above_m[count - static_cast<std::size_t>(tenth)];
  return range_m / (1 - 0.8 * std::exp(-(part.to - part.from) * profile.step_m / 50e3));
}

/// What is left of a smooth earth's horizon over rough terrain (ITM, eq. 3.3).
double rough_horizon_m(double effective_m, const ItmPath& path) {
  constexpr double kLeastHeight = 5;  // m
  return smooth_horizon_m(effective_m, path.earth_m) *
         std::exp(-0.07 * std::sqrt(path.roughness_m / std::max(effective_m, kLeastHeight)));
}

/// (ITM, eq. 3.4)
double rough_horizon_rad(const ItmEnd& end, const ItmPath& path) {
  const double smooth_m = smooth_horizon_m(end.effective_m, path.earth_m);
  return (0.65 * path.roughness_m * (smooth_m / end.horizon_m - 1) - 2 * end.effective_m) / smooth_m;
}

/// Well in sight of one another: effective heights above one line through all of the terrain, and the horizons that
/// terrain of this roughness has.
void set_ends_in_sight(ItmPath& path, const TerrainProfile& profile, const ProfilePart& part) {
  const HeightLine line = fit_line(profile.height_m, part.from, part.to);
  path.ends[0].effective_m = path.ends[0].height_m + std::fdim(profile.height_m.front(), line.at_first);
  path.ends[1].effective_m = path.ends[1].height_m + std::fdim(profile.height_m.back(), line.at_last);
  const auto set_horizons = [&path] {
    for (ItmEnd& end : path.ends) {
      end.horizon_m = rough_horizon_m(end.effective_m, path);
    }
  };
  set_horizons();
  const double sight_m = path.sight_m();
  if (sight_m <= path.distance_m) {
    for (ItmEnd& end : path.ends) {
      end.effective_m *= (path.distance_m / sight_m) * (path.distance_m / sight_m);
    }
    set_horizons();
  }
  for (ItmEnd& end : path.ends) {
    end.horizon_rad = rough_horizon_rad(end, path);
  }
}

/// Each end above the line through the terrain before its own horizon.
void set_ends_out_of_sight(ItmPath& path, const TerrainProfile& profile, const ProfilePart& part) {
  constexpr double kBeforeHorizon = 0.9;
  const double step_m = profile.step_m;
  const double tx_m = fit_line(profile.height_m, part.from, kBeforeHorizon * path.ends[0].horizon_m / step_m).at_first;
  const double rx_from = (path.distance_m - kBeforeHorizon * path.ends[1].horizon_m) / step_m;
  const double rx_m = fit_line(profile.height_m, rx_from, part.to).at_last;
  path.ends[0].effective_m = path.ends[0].height_m + std::fdim(profile.height_m.front(), tx_m);
  path.ends[1].effective_m = path.ends[1].height_m + std::fdim(profile.height_m.back(), rx_m);
}

double sited_height_m(double height_m, ItmSiting siting, double roughness_m) {
  if (siting == ItmSiting::kRandom) {
    return height_m;
  }
  double gain_m = siting == ItmSiting::kCareful ? 4 : 9;
  if (height_m < 5) {
    gain_m *= std::sin(0.1 * std::numbers::pi * height_m);
  }
  return height_m + (1 + gain_m) * std::exp(-std::min(20.0, 2 * height_m / std::max(1e-3, roughness_m)));
}

}  // namespace

double smooth_horizon_m(double height_m, double earth_m) {
  return std::sqrt(2 * height_m * earth_m);
}

double ItmPath::smooth_sight_m() const {
  return smooth_horizon_m(ends[0].effective_m, earth_m) + smooth_horizon_m(ends[1].effective_m, earth_m);
}

double ItmPath::sight_rad() const {
  return -std::max(ends[0].horizon_rad + ends[1].horizon_rad, -sight_m() / earth_m);
}

double ItmPath::roughness_over_m(double part_m) const {
  return roughness_m * (1 - 0.8 * std::exp(-part_m / 50e3));
}

ItmPath itm_path(const ItmLink& link, const TerrainProfile& profile) {
  ItmPath path;
  path.over_profile = true;
  path.distance_m = profile.length_m();
  path.ends[0].height_m = link.ends.tx_height_m;
  path.ends[1].height_m = link.ends.rx_height_m;
  set_surroundings(path, link, mean_height_m(profile.height_m));
  find_horizons(path, profile);
  // Terrain counts from 15 heights of an antenna on (NTIA TR-82-100, page 25).
  const auto near_m = [](const ItmEnd& end) { return std::min(15 * end.height_m, 0.1 * end.horizon_m); };
  const ProfilePart part{near_m(path.ends[0]) / profile.step_m,
                         (path.distance_m - near_m(path.ends[1])) / profile.step_m};
  path.roughness_m = roughness_m(profile, part);
  constexpr double kWellInSight = 1.5;
  if (path.sight_m() > kWellInSight * path.distance_m) {
    set_ends_in_sight(path, profile, part);
  } else {
    set_ends_out_of_sight(path, profile, part);
  }
  return path;
}

ItmPath itm_path(const ItmLink& link, const ItmArea& area) {
  ItmPath path;
  path.distance_m = area.distance_m;
  path.roughness_m = area.roughness_m;
  path.ends[0].height_m = link.ends.tx_height_m;
  path.ends[1].height_m = link.ends.rx_height_m;
  path.ends[0].effective_m = sited_height_m(link.ends.tx_height_m, area.tx_siting, area.roughness_m);
  path.ends[1].effective_m = sited_height_m(link.ends.rx_height_m, area.rx_siting, area.roughness_m);
  set_surroundings(path, link, 0);
  for (ItmEnd& end : path.ends) {
    end.horizon_m = rough_horizon_m(end.effective_m, path);
    end.horizon_rad = rough_horizon_rad(end, path);
  }
  return path;
}

}  // namespace hilgate

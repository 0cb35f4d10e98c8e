// SPDX-License-Identifier: Apache-2.0
#include "examples/shell-mataric/figures.h"

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/normal.h"
#include "rf_profiles/survey/grid_rays.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kLeastPower = 1e-10;  // of fading, as SurveyedAir has it

struct Place {
  double x_m = 0;
  double y_m = 0;
};
constexpr std::array<Place, 3> kSenders{{{5, 33}, {24.5, 9}, {44, 43}}};  // a corridor, two offices
/// Of the paper's Fig. 3. Its azimuths go with a map that is not published.
constexpr std::array<ShapeFactors, 3> kPublished{{{0.985525, 0.590345}, {0.662603, 0.843989}, {0.762548, 0.388172}}};
constexpr Place kHeard = {5, 33};  // in Figs. 3 and 4

class Building {
 public:
  Building(const GridMap& map, const RadioProfile& radio) : map_(map), walker_(map), radio_(radio) {}

  [[nodiscard]] double walls_db(const Place& a, std::uint32_t cell) const {
    return WallWalker::kUnitDb * walker_.between(map_.index(map_.cell_at(a.x_m, a.y_m).value()), cell);
  }
  /// Without shadowing and multipath.
  [[nodiscard]] Dbm mean_level(const Place& from, std::uint32_t cell) const {
    const Place at = middle(cell);
    const double distance = std::hypot(at.x_m - from.x_m, at.y_m - from.y_m);
    return radio_.phy.tx_power - path_loss(radio_.channel.path_loss, {distance, distance, 1, 1}, radio_.phy.frequency) -
           Decibels{walls_db(from, cell)};
  }
  [[nodiscard]] Place middle(std::uint32_t cell) const {
    const GridCell at = map_.cell(cell);
    return {map_.origin_x_m + (at.x + 0.5) * map_.cell_m, map_.origin_y_m + (at.y + 0.5) * map_.cell_m};
  }
  [[nodiscard]] std::uint32_t block(GridCell cell) const {
    return cell.y / kTrace.block * blocks_along(map_.width, kTrace.block) + cell.x / kTrace.block;
  }
  [[nodiscard]] std::uint32_t block(const Place& at) const { return block(map_.cell_at(at.x_m, at.y_m).value()); }
  [[nodiscard]] double wavelength_m() const { return kLightSpeed / radio_.phy.frequency.value; }

  static constexpr TraceSettings kTrace{};
  [[nodiscard]] const GridMap& map() const { return map_; }

 private:
  const GridMap& map_;
  WallWalker walker_;
  const RadioProfile& radio_;
};

/// Path attenuation of the walls all over the map, from each of three senders.
Figure attenuation_maps(const Building& building) {
  Figure figure{"figure2", {"x_m", "y_m", "walls_a_db", "walls_b_db", "walls_c_db"}, {3, 3, 1, 1, 1}, {}};
  for (std::uint32_t cell = 0; cell < building.map().cell_count(); ++cell) {
    const Place at = building.middle(cell);
    figure.rows.push_back({at.x_m, at.y_m});
    for (const Place& sender : kSenders) {
      figure.rows.back().push_back(building.walls_db(sender, cell));
    }
  }
  return figure;
}

/// The cell in the middle of the block whose shape factors come closest to `wanted`.
std::uint32_t place_like(const ShapeFactors& wanted, const Building& building, const std::vector<Arrival>& arrivals) {
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  constexpr std::uint32_t kBlock = Building::kTrace.block;
  for (std::uint32_t y = kBlock / 2; y < building.map().height; y += kBlock) {
    for (std::uint32_t x = kBlock / 2; x < building.map().width; x += kBlock) {
      const ShapeFactors shape = shape_factors(arrivals[building.block(GridCell{x, y})].moments);
      const double off = std::hypot(shape.spread - wanted.spread, shape.constriction - wanted.constriction);
      if (!building.map().at({x, y}).wall && off < least) {
        least = off;
        best = building.map().index({x, y});
      }
    }
  }
  return best;
}

/// The rays at the three positions that are most like those of the paper, and their shape factors.
std::vector<Figure> reflected_rays(const Building& building) {
  Figure rays{"figure3-rays", {"receiver", "azimuth_rad", "power"}, {0, 5, 9}, {}};
  Figure shapes{"figure3-shapes", {"x_m", "y_m", "spread", "constriction", "azimuth_rad"}, {2, 2, 6, 6, 6}, {}};
  const std::vector<Arrival> arrivals = trace_from(building.map(), building.block(kHeard), Building::kTrace);
  for (std::size_t i = 0; i < kPublished.size(); ++i) {
    const std::uint32_t cell = place_like(kPublished[i], building, arrivals);
    const std::uint32_t block = building.block(building.map().cell(cell));
    const std::vector<Ray> arrived = rays_between(building.map(), building.block(kHeard), block, Building::kTrace);
    const AngularMoments moments = moments_of_rays(arrived);
    for (const Ray& ray : arrived) {
      rays.rows.push_back({static_cast<double>(i), ray.azimuth_rad, ray.power / moments.f0});
    }
    const ShapeFactors shape = shape_factors(moments);
    const Place at = building.middle(cell);
    shapes.rows.push_back({at.x_m, at.y_m, shape.spread, shape.constriction, shape.azimuth_rad});
  }
  return {rays, shapes};
}

/// The steady wave and the diffuse rest, as SurveyedAir has them, at a position not drawn before.
double fading_db(double direct_share, std::uint32_t cell) {
  const DrawPlace place{kSeed, cell, 0};
  std::complex<double> fresh;
  draw_complex_normals({&place, 1}, {&fresh, 1});
  const double power = std::norm(std::sqrt(direct_share) + std::sqrt(1 - direct_share) * fresh);
  return db_of(std::max(power, kLeastPower));
}

/// Level all over the map from one sender, its two parts, and how fast the small one changes for who moves east: the
/// variance of the spatial rate of the voltage, relative to the power, in 1/m^2.
Figure level_maps(const Building& building) {
  Figure figure{"figure4",
                {"x_m", "y_m", "sum_dbm", "large_dbm", "small_db", "variance_per_m2", "direct_share"},
                {3, 3, 2, 2, 2, 3, 4},
                {}};
  const std::vector<Arrival> arrivals = trace_from(building.map(), building.block(kHeard), Building::kTrace);
  const double k = 2 * std::numbers::pi / building.wavelength_m();
  for (std::uint32_t cell = 0; cell < building.map().cell_count(); ++cell) {
    const Place at = building.middle(cell);
    const Arrival& arrival = arrivals[building.block(building.map().cell(cell))];
    const double large = building.mean_level(kHeard, cell).value;
    const double small = fading_db(arrival.direct_share(), cell);
    const double variance = k * k * rate_variance(shape_factors(arrival.moments), 0);
    figure.rows.push_back({at.x_m, at.y_m, large + small, large, small, variance, arrival.direct_share()});
  }
  return figure;
}

}  // namespace

std::vector<Figure> building_figures(const GridMap& map, const RadioProfile& radio) {
  const Building building(map, radio);
  std::vector<Figure> figures{attenuation_maps(building)};
  for (Figure& figure : reflected_rays(building)) {
    figures.push_back(std::move(figure));
  }
  figures.push_back(level_maps(building));
  return figures;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "examples/shell-mataric/figures.h"

#include <cmath>

#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/errors/interference.h"
#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {
namespace {

using Profile = std::shared_ptr<const RadioProfile>;
constexpr double kFrameBits = 8 * 50.0;  // the papers' frames
const Vec3 kRed{5, 33, 1};

struct Building {
  std::shared_ptr<const Survey> survey;
  Profile radio;
  [[nodiscard]] double walls_db(const Vec3& a, const Vec3& b) const {
    const GridMap& map = survey->map();
    return survey->walls_db(map.cell_at(a.x, a.y).value(), map.cell_at(b.x, b.y).value());
  }
  /// Without shadowing and multipath.
  [[nodiscard]] Dbm mean_level(const Vec3& a, const Vec3& b) const {
    const double distance = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    const PairGeometry pair{std::hypot(a.x - b.x, a.y - b.y), distance, std::max(a.z, b.z), std::min(a.z, b.z)};
    return radio->phy.tx_power - path_loss(radio->channel.path_loss, pair, radio->phy.frequency) -
           Decibels{walls_db(a, b)};
  }
};

/// Level all over the map from one sender: distance and partitions.
Figure level_map(const Building& building) {
  Figure figure{"figure2", {"x_m", "y_m", "walls_db", "level_dbm"}, {3, 3, 1, 2}, {}};
  const GridMap& map = building.survey->map();
  for (std::uint32_t cell = 0; cell < map.cell_count(); ++cell) {
    const GridCell at = map.cell(cell);
    const Vec3 place{map.origin_x_m + (at.x + 0.5) * map.cell_m, map.origin_y_m + (at.y + 0.5) * map.cell_m, 1};
    figure.rows.push_back({place.x, place.y, building.walls_db(kRed, place), building.mean_level(kRed, place).value});
  }
  return figure;
}

/// Level along a corridor, with multipath and without.
Figure walk(const Building& building) {
  Figure figure{"figure4", {"x_m", "mean_dbm", "level_dbm", "spread", "direct_share"}, {2, 2, 2, 3, 3}, {}};
  SurveyedAir air(building.survey, building.radio->phy.frequency, 1, 1);
  constexpr double kStep = 0.02;
  const GridMap& map = building.survey->map();
  for (double x = 7; x < 45; x += kStep) {
    const Vec3 blue{x, 33, 1};
    const double fading_db = air.update(0, {kRed}, {blue, kStep, 0}).fading_db;
    const LocalShape local = building.survey->shape(map.cell_at(x, 33).value(), map.cell_at(kRed.x, kRed.y).value());
    const double mean = building.mean_level(kRed, blue).value;
    figure.rows.push_back({x, mean, mean + fading_db, local.shape.spread, local.direct_share});
  }
  return figure;
}

/// Reception against distance, all pairs of many nodes: the transitional region, and directions that differ.
Figure reception(const Building& building) {
  constexpr std::size_t kNodes = 80;
  EmbeddedNetsim netsim({kNodes, building.radio}, {}, 1, building.survey);
  Scene scene;
  scene.sights.resize(pair_count(kNodes));
  FrameRandom random(7, 0, 0);
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double x = 1 + 48 * random.uniform();
    scene.robots.push_back({{x, 31.5 + 3 * random.uniform(), 1}, {}});
  }
  LinkTable table;
  netsim.link_states(scene, table);
  Figure figure{"figure6", {"distance_m", "prr", "prr_back", "walls_db"}, {2, 4, 4, 1}, {}};
  for (std::size_t high = 1; high < kNodes; ++high) {
    for (std::size_t low = 0; low < high; ++low) {
      const Vec3& a = scene.robots[low].position;
      const Vec3& b = scene.robots[high].position;
      const auto prr = [&](std::size_t from, std::size_t to) {
        return std::exp(-kFrameBits * table.links[from * kNodes + to].unicast.per_bit);
      };
      figure.rows.push_back(
          {std::hypot(a.x - b.x, a.y - b.y), prr(low, high), prr(high, low), building.walls_db(a, b)});
    }
  }
  return figure;
}

/// A sender, a receiver 8 m away, and another sender that goes further and further away on the other side.
Figure interference(const Building& building) {
  const RadioPhy& phy = building.radio->phy;
  const HazardCurve hazard = phy.modes.front().hazard;
  const Vec3 receiver{15, 33, 1};
  const Dbm signal = building.mean_level({7, 33, 1}, receiver);
  Figure figure{"figure7",
                {"interferer_m", "sinr_halved_db", "prr_halved", "sinr_sum_db", "prr_sum", "prr_alone"},
                {1, 3, 5, 3, 5, 5},
                {}};
  const auto prr = [&](Decibels ratio) { return std::exp(-kFrameBits * hazard(ratio.value)); };
  for (double distance = 1; distance < 34; distance += 0.1) {
    const Dbm interferer[] = {building.mean_level({15 + distance, 33, 1}, receiver)};
    const Decibels halved = sinr(signal, phy.noise_floor(), interferer, 0.5);
    const Decibels sum = sinr(signal, phy.noise_floor(), interferer, 1);
    figure.rows.push_back({distance, halved.value, prr(halved), sum.value, prr(sum), prr(signal - phy.noise_floor())});
  }
  return figure;
}

}  // namespace

std::vector<Figure> building_figures(const std::shared_ptr<const Survey>& survey, const Profile& radio) {
  const Building building{survey, radio};
  return {level_map(building), walk(building), reception(building), interference(building)};
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// The data of the example's four plots, from the models that a run takes its link states from. plot.py draws them.
//
// usage: shell-mataric-figures MAP PROFILE OUTPUT_FOLDER; the map has been surveyed.
#include <fmt/os.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include "netsim_link/embedded_netsim.h"
#include "rf_profiles/interference.h"
#include "rf_profiles/low_rate_error.h"
#include "rf_profiles/profile_loader.h"
#include "rf_profiles/random.h"

namespace hilgate {
namespace {

using Profile = std::shared_ptr<const RadioProfile>;
constexpr double kFrameBits = 8 * 50.0;  // the papers' frames
const Vec3 kRed{5, 33, 1};

struct Building {
  std::shared_ptr<const Survey> survey;
  Profile radio;
  std::filesystem::path folder;

  [[nodiscard]] fmt::ostream table(const char* name) const { return fmt::output_file((folder / name).string()); }
  [[nodiscard]] double walls_db(const Vec3& a, const Vec3& b) const {
    const GridMap& map = survey->map();
    return survey->walls_db(map.cell_at(a.x, a.y).value(), map.cell_at(b.x, b.y).value());
  }
  /// Without shadowing and multipath.
  [[nodiscard]] double mean_dbm(const Vec3& a, const Vec3& b) const {
    const double distance = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    const PairGeometry pair{std::hypot(a.x - b.x, a.y - b.y), distance, std::max(a.z, b.z), std::min(a.z, b.z)};
    return radio->phy.tx_power_dbm - path_loss_db(radio->channel.path_loss, pair, radio->phy.frequency_hz) -
           walls_db(a, b);
  }
};

/// Level all over the map from one sender: distance and partitions.
void level_map(const Building& building) {
  auto out = building.table("figure2.csv");
  out.print("x_m,y_m,walls_db,level_dbm\n");
  const GridMap& map = building.survey->map();
  for (std::uint32_t cell = 0; cell < map.cell_count(); ++cell) {
    const GridCell at = map.cell(cell);
    const Vec3 place{map.origin_x_m + (at.x + 0.5) * map.cell_m, map.origin_y_m + (at.y + 0.5) * map.cell_m, 1};
    out.print("{:g},{:g},{:g},{:.2f}\n", place.x, place.y, building.walls_db(kRed, place),
              building.mean_dbm(kRed, place));
  }
}

/// Level along a corridor, with multipath and without.
void walk(const Building& building) {
  auto out = building.table("figure4.csv");
  out.print("x_m,mean_dbm,level_dbm,spread,direct_share\n");
  SurveyedAir air(building.survey, building.radio->phy.frequency_hz, 1, 1);
  constexpr double kStep = 0.02;
  const GridMap& map = building.survey->map();
  for (double x = 7; x < 45; x += kStep) {
    const Vec3 blue{x, 33, 1};
    const double fading_db = air.update(0, {kRed}, {blue, kStep, 0}).fading_db;
    const LocalShape local = building.survey->shape(map.cell_at(x, 33).value(), map.cell_at(kRed.x, kRed.y).value());
    const double mean = building.mean_dbm(kRed, blue);
    out.print("{:.2f},{:.2f},{:.2f},{:.3f},{:.3f}\n", x, mean, mean + fading_db, local.shape.spread,
              local.direct_share);
  }
}

/// Reception against distance, all pairs of many nodes: the transitional region, and directions that differ.
void reception(const Building& building) {
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
  auto out = building.table("figure6.csv");
  out.print("distance_m,prr,prr_back,walls_db\n");
  for (std::size_t high = 1; high < kNodes; ++high) {
    for (std::size_t low = 0; low < high; ++low) {
      const Vec3& a = scene.robots[low].position;
      const Vec3& b = scene.robots[high].position;
      const auto prr = [&](std::size_t from, std::size_t to) {
        return std::exp(-kFrameBits * table.links[from * kNodes + to].unicast.per_bit);
      };
      out.print("{:.2f},{:.4f},{:.4f},{:g}\n", std::hypot(a.x - b.x, a.y - b.y), prr(low, high), prr(high, low),
                building.walls_db(a, b));
    }
  }
}

/// A sender, a receiver 8 m away, and another sender that goes further and further away on the other side.
void interference(const Building& building) {
  const RadioPhy& phy = building.radio->phy;
  const HazardCurve hazard = phy.modes.front().hazard;
  const Vec3 receiver{15, 33, 1};
  const double signal_dbm = building.mean_dbm({7, 33, 1}, receiver);
  auto out = building.table("figure7.csv");
  out.print("interferer_m,sinr_halved_db,prr_halved,sinr_sum_db,prr_sum,prr_alone\n");
  const auto prr = [&](double sinr) { return std::exp(-kFrameBits * hazard(sinr)); };
  for (double distance = 1; distance < 34; distance += 0.1) {
    const double interferer[] = {building.mean_dbm({15 + distance, 33, 1}, receiver)};
    const double halved = sinr_db(signal_dbm, phy.noise_floor_dbm(), interferer, 0.5);
    const double sum = sinr_db(signal_dbm, phy.noise_floor_dbm(), interferer, 1);
    out.print("{:.1f},{:.3f},{:.5f},{:.3f},{:.5f},{:.5f}\n", distance, halved, prr(halved), sum, prr(sum),
              prr(signal_dbm - phy.noise_floor_dbm()));
  }
}

}  // namespace
}  // namespace hilgate

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: {} MAP PROFILE OUTPUT_FOLDER\n", argv[0]);
    return 2;
  }
  try {
    const hilgate::Building building{
        hilgate::open_survey(argv[1]),
        std::make_shared<const hilgate::RadioProfile>(hilgate::load_radio_profile(argv[2])), argv[3]};
    hilgate::level_map(building);
    hilgate::walk(building);
    hilgate::reception(building);
    hilgate::interference(building);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Kolmogorov-Smirnov tests, at fixed seeds, of what the embedded netsim draws beside shadowing and fading by law.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "netsim_link/embedded/embedded_netsim.h"
#include "netsim_link/embedded/surveyed_air.h"
#include "rf_profiles/fading/fading_laws.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/profile/profile_loader.h"
#include "tests/rf_profiles/statistics.h"
#include "tests/rf_profiles/survey/map_fixture.h"

namespace hilgate::test {
namespace {

/// A hall with a wall in it, so that both steady and diffuse power arrive.
std::shared_ptr<const Survey> hall(const MapFolder& folder) {
  const GridMap map = drawn_map({"############", "#....#.....#", "#....#.....#", "#..........#", "############"});
  const std::string file = (folder.path / "hall.survey").string();
  SurveyWork work(map, file, {.rays = 90, .block = 1});
  for (std::uint64_t unit = 0; unit < work.units(); ++unit) {
    work.work(unit);
  }
  return std::make_shared<const Survey>(map, file);
}

TEST(RandomAir, SurveyedMultipathIsRiceOfItsDirectShare) {
  const MapFolder folder;
  const auto survey = hall(folder);
  constexpr std::size_t kPairs = 4'000;
  const SurveyedEnd red{{2.5, 2.5, 1}}, blue{{9.5, 2.5, 1}};
  const double share = (survey->shape({2, 2}, {9, 2}).direct_share + survey->shape({9, 2}, {2, 2}).direct_share) / 2;
  ASSERT_GT(share, 0.05);
  ASSERT_LT(share, 0.95);
  SurveyedAir air(std::make_shared<const SurveyedFloors>(survey), Hertz{2.4e9}, kPairs, 5);
  // At first, a hair's breadth on, and far away.
  for (const double moved_m : {0.0, 0.001, 0.02, 10.0}) {
    std::vector<double> powers;
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      powers.push_back(ratio_of_db(air.update(pair, red, {blue.position, moved_m, 0.7}).fading_db));
    }
    EXPECT_LT(kolmogorov_distance(powers, [&](double power) { return rice_cdf(share / (1 - share), power); }),
              kolmogorov_limit(kPairs))
        << moved_m;
  }
}

std::shared_ptr<const RadioProfile> profile_of(const std::string& name) {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + name + ".yaml");
  profile.channel.shadowing = {};
  profile.channel.fading = {};
  return std::make_shared<const RadioProfile>(profile);
}

/// Robots on a line to the east of the first, which is at the origin.
Scene spread_out(const std::vector<double>& distances_m) {
  Scene scene;
  scene.robots.push_back({{0, 0, 2}, {}});
  for (const double distance_m : distances_m) {
    scene.robots.push_back({{distance_m, 0, 2}, {}});
  }
  scene.sights.resize(pair_count(scene.robots.size()));
  return scene;
}

TEST(RandomAir, HardwareSpreadIsNormalInNoiseAndInPower) {
  constexpr std::size_t kNodes = 500;
  const HardwareVariance variance{3.7, -3.3, 6.0};
  const auto alike = profile_of("mica2_cc1000");
  RadioProfile differ = *alike;
  differ.phy.hardware = variance;
  RadioProfile plain_radio = *alike;
  plain_radio.phy.hardware.reset();
  const Scene scene = spread_out(std::vector<double>(kNodes, 30));
  LinkTable table, plain;
  const std::size_t robots = kNodes + 1;
  EmbeddedNetsim(std::vector(robots, std::make_shared<const RadioProfile>(differ)), {}, 1).link_states(scene, table);
  EmbeddedNetsim(std::vector(robots, std::make_shared<const RadioProfile>(plain_radio)), {}, 1)
      .link_states(scene, plain);
  std::vector<double> power, noise;
  for (std::size_t i = 1; i < robots; ++i) {
    const LinkState& up = table.links[i * robots];
    const LinkState& down = table.links[i];
    power.push_back((up.rssi_dbm - plain.links[i * robots].rssi_dbm) / std::sqrt(variance.power_db2));
    noise.push_back(((down.rssi_dbm - down.snr_db) - (plain.links[i].rssi_dbm - plain.links[i].snr_db)) /
                    std::sqrt(variance.noise_db2));
  }
  EXPECT_LT(kolmogorov_distance(power, normal_cdf), kolmogorov_limit(kNodes));
  EXPECT_LT(kolmogorov_distance(noise, normal_cdf), kolmogorov_limit(kNodes));
}

TEST(RandomAir, DrawnSightHasTheShareOfItsDistance) {
  constexpr std::size_t kNodes = 700;
  constexpr double kFarthest = 200;
  RadioProfile profile = *profile_of("wifi_11n_2g4_adhoc");
  profile.channel.draws_sight = true;
  const PathLossModel model = TgppUmi{};
  const auto share = [&](double distance_m) {
    return line_of_sight_probability(model, {distance_m, distance_m, 2, 2, true});
  };
  std::vector<double> distances;
  for (std::size_t i = 0; i < kNodes; ++i) {
    distances.push_back(kFarthest * (static_cast<double>(i) + 0.5) / kNodes);
  }
  const Scene scene = spread_out(distances);
  std::vector<double> seen;
  double expected = 0, variance = 0;
  constexpr int kSeeds = 8;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    EmbeddedNetsim netsim(std::vector(kNodes + 1, std::make_shared<const RadioProfile>(profile)), {}, seed);
    LinkTable table;
    netsim.link_states(scene, table);
    for (std::size_t i = 0; i < kNodes; ++i) {
      if (table.links[i + 1].line_of_sight) {
        seen.push_back(distances[i]);
      }
      expected += share(distances[i]);
      variance += share(distances[i]) * (1 - share(distances[i]));
    }
  }
  EXPECT_NEAR(static_cast<double>(seen.size()), expected, 3.3 * std::sqrt(variance));
  // Where sight is found follows the probability over distance.
  std::vector<double> sums(kNodes);
  std::transform_inclusive_scan(distances.begin(), distances.end(), sums.begin(), std::plus<>(), share);
  const auto cdf = [&](double distance_m) {
    const auto at = static_cast<std::size_t>(distance_m / kFarthest * kNodes);
    return sums[std::min(at, kNodes - 1)] / sums.back();
  };
  EXPECT_LT(kolmogorov_distance(seen, cdf), kolmogorov_limit(seen.size()));
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/surveyed_air.h"

#include <gtest/gtest.h>

#include <cmath>

#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/profile/profile_loader.h"
#include "tests/rf_profiles/statistics.h"
#include "tests/rf_profiles/survey/map_fixture.h"

namespace hilgate::test {
namespace {

const std::vector<std::string> kRooms{"####################", "#........#.........#", "#........#.........#",
                                      "#........#.........#", "#........#.........#", "####################"};
constexpr Hertz kBand{916e6};

std::shared_ptr<const SurveyedFloors> surveyed(const MapFolder& folder) {
  const GridMap map = drawn_map(kRooms);
  const std::string file = (folder.path / "rooms.survey").string();
  SurveyWork work(map, file, {.rays = 180, .block = 2});
  for (std::uint64_t unit = 0; unit < work.units(); ++unit) {
    work.work(unit);
  }
  return std::make_shared<const SurveyedFloors>(std::make_shared<const Survey>(map, file));
}

TEST(SurveyedAir, WallsEqualTheMapAndTheOutsideIsFree) {
  const MapFolder folder;
  SurveyedAir air(surveyed(folder), kBand, 1, 1);
  EXPECT_EQ(air.update(0, {{2.5, 2.5, 1}}, {{6.5, 2.5, 1}}).walls_db, 0);
  EXPECT_EQ(air.update(0, {{2.5, 2.5, 1}}, {{15.5, 2.5, 1}}).walls_db, 6);
  EXPECT_EQ(air.outside(), 0u);
  const SurveyedAir::Path outside = air.update(0, {{2.5, 2.5, 1}}, {{-4, 2.5, 1}});
  EXPECT_EQ(outside.walls_db, 0);
  EXPECT_EQ(outside.fading_db, 0);
  EXPECT_EQ(air.outside(), 1u);
}

TEST(SurveyedAir, FadesOnlyWhileARobotMoves) {
  const MapFolder folder;
  SurveyedAir air(surveyed(folder), kBand, 1, 1);
  const SurveyedEnd red{{2.5, 2.5, 1}};
  const SurveyedEnd blue{{15.5, 2.5, 1}};
  const double still = air.update(0, red, blue).fading_db;
  EXPECT_EQ(air.update(0, red, blue).fading_db, still);
  EXPECT_NE(air.update(0, red, {blue.position, 0.05, 0}).fading_db, still);
}

/// Mean power, and how alike two levels a way apart are, over a walk that is asked about every `step_m`.
std::pair<double, double> walk(const std::shared_ptr<const SurveyedFloors>& survey, double step_m, std::size_t apart) {
  SurveyedAir air(survey, kBand, 1, 3);
  std::vector<double> levels;
  double sum = 0;
  for (int i = 0; i < 40'000; ++i) {
    levels.push_back(ratio_of_db(air.update(0, {{3.5, 3.5, 1}}, {{15.5, 3.5, 1}, step_m, 1.0}).fading_db));
    sum += levels.back();
  }
  const double mean = sum / static_cast<double>(levels.size());
  double together = 0;
  double alone = 0;
  for (std::size_t i = apart; i < levels.size(); ++i) {
    together += (levels[i] - mean) * (levels[i - apart] - mean);
    alone += (levels[i] - mean) * (levels[i] - mean);
  }
  return {mean, together / alone};
}

TEST(SurveyedAir, MeanPowerIsOneAndTheWindowDoesNotChangeHowFastItFades) {
  const MapFolder folder;
  const auto survey = surveyed(folder);
  const auto [mean, alike] = walk(survey, 0.1, 2);
  const auto [fine_mean, fine_alike] = walk(survey, 0.05, 4);
  EXPECT_NEAR(mean, 1, 0.05);
  EXPECT_NEAR(fine_mean, 1, 0.07);
  EXPECT_NEAR(alike, fine_alike, 0.08);
  EXPECT_GT(alike, 0.02);
  EXPECT_LT(alike, 0.98);
}

std::shared_ptr<const RadioProfile> mica2(std::optional<HardwareVariance> hardware) {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/mica2_cc1000.yaml");
  profile.channel.shadowing = {};
  profile.phy.hardware = hardware;
  return std::make_shared<const RadioProfile>(profile);
}

Scene line_of(std::size_t robots) {
  Scene scene;
  for (std::size_t i = 0; i < robots; ++i) {
    scene.robots.push_back({{1.5 + static_cast<double>(i % 17), 1.5 + static_cast<double>(i % 4), 1}, {}});
  }
  scene.sights.resize(pair_count(robots));
  return scene;
}

TEST(EmbeddedNetsimInABuilding, LosesTheAttenuationOfTheWalls) {
  const MapFolder folder;
  const auto radio = mica2(std::nullopt);
  EmbeddedNetsim inside({radio, radio}, {}, 1, surveyed(folder));
  EmbeddedNetsim open({radio, radio}, {}, 1);
  Scene scene = line_of(2);
  scene.robots[1].position = {14.5, 1.5, 1};
  LinkTable walled;
  LinkTable free;
  inside.link_states(scene, walled);
  open.link_states(scene, free);
  const LinkState& there = walled.links[1];
  EXPECT_FALSE(there.line_of_sight);
  EXPECT_TRUE(free.links[1].line_of_sight);
  EXPECT_EQ(there.rssi_dbm, walled.links[2].rssi_dbm);  // both ways
  EXPECT_NE(there.rssi_dbm, free.links[1].rssi_dbm);
  scene.robots[1].position.x = 500;
  inside.link_states(scene, walled);
  open.link_states(scene, free);
  EXPECT_EQ(walled.links[1].rssi_dbm, free.links[1].rssi_dbm);
  EXPECT_EQ(inside.outside_map(), 1u);
}

TEST(EmbeddedNetsimInABuilding, SameSeedSameStates) {
  const MapFolder folder;
  const auto survey = surveyed(folder);
  const auto states = [&](std::uint64_t seed) {
    const auto radio = mica2(HardwareVariance{3.7, -3.3, 6.0});
    EmbeddedNetsim netsim({5, radio}, {}, seed, survey);
    Scene scene = line_of(5);
    LinkTable table;
    std::vector<float> levels;
    for (int window = 0; window < 20; ++window) {
      scene.robots[2].position.x += 0.05;
      netsim.link_states(scene, table);
      for (std::size_t i = 0; i < table.links.size(); ++i) {
        levels.push_back(i % 6 == 0 ? 0 : table.links[i].snr_db);
      }
    }
    return levels;
  };
  EXPECT_EQ(states(4), states(4));
  EXPECT_NE(states(4), states(5));
}

TEST(HardwareSpread, GivesNodesTheCovarianceAndLinksTwoDirections) {
  constexpr std::size_t kNodes = 600;
  const auto alike = mica2(std::nullopt);
  const auto spread = mica2(HardwareVariance{3.7, -3.3, 6.0});
  Scene scene = line_of(kNodes);
  LinkTable table;
  LinkTable plain;
  EmbeddedNetsim(std::vector(kNodes, spread), {}, 1).link_states(scene, table);
  EmbeddedNetsim(std::vector(kNodes, alike), {}, 1).link_states(scene, plain);
  // From node i to 0: its power, and what 0 adds to all; from 0 to i: its noise.
  double power2 = 0, noise2 = 0, both = 0, power = 0, noise = 0;
  for (std::size_t i = 1; i < kNodes; ++i) {
    const double up = table.links[i * kNodes].rssi_dbm - plain.links[i * kNodes].rssi_dbm;
    const double floor =
        (table.links[i].rssi_dbm - table.links[i].snr_db) - (plain.links[i].rssi_dbm - plain.links[i].snr_db);
    power += up;
    noise += floor;
    power2 += up * up;
    noise2 += floor * floor;
    both += up * floor;
  }
  const double n = kNodes - 1;
  EXPECT_NEAR(power / n, 0, 0.4);
  EXPECT_NEAR(noise / n, 0, 0.4);
  EXPECT_NEAR(power2 / n - power * power / n / n, 6.0, 1.0);
  EXPECT_NEAR(noise2 / n - noise * noise / n / n, 3.7, 0.7);
  EXPECT_NEAR(both / n - power * noise / n / n, -3.3, 0.7);
  EXPECT_NE(table.links[1].snr_db, table.links[kNodes].snr_db);
  EXPECT_EQ(plain.links[1].snr_db, plain.links[kNodes].snr_db);
}

}  // namespace
}  // namespace hilgate::test

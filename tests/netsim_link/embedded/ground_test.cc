// SPDX-License-Identifier: Apache-2.0
// What the ground of a scene does to links.
#include <gtest/gtest.h>

#include <cmath>

#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/propagation/diffraction.h"
#include "rf_profiles/terrain/itm.h"
#include "rf_profiles/terrain/p1812.h"

namespace hilgate::test {
namespace {

constexpr double kStep = 10;                // m
constexpr double kEarthRadius = 6'371'000;  // m

/// 4 km by 100 m, flat at 300 m but for a ridge across at x = 1500 m.
std::shared_ptr<const HeightGrid> ridge(double ridge_m) {
  std::vector<float> heights;
  for (int row = 0; row <= 10; ++row) {
    for (int column = 0; column <= 400; ++column) {
      heights.push_back(static_cast<float>(column == 150 ? 300 + ridge_m : 300));
    }
  }
  return std::make_shared<const HeightGrid>(
      HeightGrid::Layout{.west_m = 0, .south_m = -50, .step_m = kStep, .columns = 401, .rows = 11}, heights, -300);
}

/// Two radios 10 m and 5 m above the ground, the second at x = d.
struct OverGround {
  explicit OverGround(const PathLossModel& model, double d_m, double ridge_m = 0, bool has_ground = true) {
    RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
    profile.channel.shadowing = {};
    profile.channel.fading = {};
    profile.channel.path_loss = model;
    const auto radio = std::make_shared<const RadioProfile>(profile);
    frequency = profile.phy.frequency;
    budget_dbm = (profile.phy.tx_power + profile.phy.tx_gain - profile.phy.cable_loss + profile.phy.rx_gain -
                  profile.phy.cable_loss)
                     .value;
    const Obstacles obstacles({}, nullptr, has_ground ? ridge(ridge_m) : nullptr);
    const double ground_m = has_ground ? 300 : 0;
    Scene scene;
    scene.robots = {{{0, 0, ground_m + 10}, {}}, {{d_m, 0, ground_m + 5}, {}}};
    scene.sights.resize(1);
    Sight& sight = scene.sights[0];
    sight.line_of_sight = !obstacles.append_between({scene.robots[0].position, scene.robots[1].position}, sight.walls);
    EmbeddedNetsim netsim({radio, radio}, {}, 1);
    netsim.change({.jammers = {}, .obstacles = obstacles, .path_loss_db = {}});
    LinkTable table;
    netsim.link_states(scene, table);
    loss_db = budget_dbm - table.links[link_of(RobotIndex{0}, RobotIndex{1}, 2).value()].rssi_dbm;
    EXPECT_EQ(loss_db, budget_dbm - table.links[link_of(RobotIndex{1}, RobotIndex{0}, 2).value()].rssi_dbm);
  }

  Hertz frequency{};
  double budget_dbm = 0;
  double loss_db = 0;
};

TEST(Ground, ARidgeIsAnEdgeBetweenTheRadios) {
  const double free_db = OverGround(Friis{}, 3000).loss_db;
  const OverGround blocked(Friis{}, 3000, 40);
  // P.526: the ridge is 40 m - 7.5 m above the line, 1500 m from both.
  const double edge_db = knife_edge_loss(edge_parameter(32.5, 1500, 1500, blocked.frequency)).value;
  EXPECT_NEAR(blocked.loss_db - free_db, edge_db, 0.01);
  EXPECT_GT(edge_db, 20);
  EXPECT_NEAR(OverGround(Friis{}, 3000, 7).loss_db, free_db, 1e-3) << "below the line";
}

TEST(Ground, AntennasAreAsHighAsTheyAreAboveIt) {
  const TwoRayGround model;
  EXPECT_NEAR(OverGround(model, 3000).loss_db, OverGround(model, 3000, 0, false).loss_db, 1e-3);
}

TerrainProfile profile_to(double d_m, double ridge_m) {
  TerrainProfile profile{.step_m = kStep, .height_m = {}, .cover_m = {}, .zone = {}};
  for (double x = 0; x <= d_m; x += kStep) {
    profile.height_m.push_back((x == 1500 ? ridge_m : 0) + x * x / (2 * kEarthRadius));
  }
  return profile;
}

TEST(Ground, LongleyAndRiceHaveItsProfile) {
  for (const double ridge_m : {0.0, 40.0, 200.0}) {
    const OverGround over(Itm{}, 3000, ridge_m);
    ItmLink link;
    link.ends = {.tx_height_m = 10, .rx_height_m = 5, .frequency = over.frequency};
    EXPECT_NEAR(over.loss_db, itm_loss(link, profile_to(3000, ridge_m)).value, 0.01) << ridge_m;
  }
}

TEST(Ground, P1812HasItsProfile) {
  for (const double ridge_m : {0.0, 40.0, 200.0}) {
    const OverGround over(ItuP1812{}, 3000, ridge_m);
    P1812Link link;
    link.ends = {.tx_height_m = 10, .rx_height_m = 5, .frequency = over.frequency};
    EXPECT_NEAR(over.loss_db, p1812_loss(link, profile_to(3000, ridge_m)).value, 0.01) << ridge_m;
  }
}

TEST(Ground, ShortPathsOfTheseModelsHaveFreeSpace) {
  EXPECT_NEAR(OverGround(Itm{}, 900).loss_db, OverGround(Friis{}, 900).loss_db, 1e-3);
  EXPECT_NEAR(OverGround(ItuP1812{}, 200).loss_db, OverGround(Friis{}, 200).loss_db, 1e-3);
}

TEST(Ground, WithoutTerrainTheseModelsHaveFlatGround) {
  EXPECT_NEAR(OverGround(Itm{}, 3000, 0, false).loss_db, OverGround(Itm{}, 3000).loss_db, 0.1);
  EXPECT_NEAR(OverGround(ItuP1812{}, 3000, 0, false).loss_db, OverGround(ItuP1812{}, 3000).loss_db, 0.1);
}

}  // namespace
}  // namespace hilgate::test

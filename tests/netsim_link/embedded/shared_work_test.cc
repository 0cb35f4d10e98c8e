// SPDX-License-Identifier: Apache-2.0
// Many radios' links are worked on by several threads, which find what one finds.
#include <gtest/gtest.h>

#include <cmath>

#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/numeric/random.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

constexpr std::size_t kManyRobots = kManyRadios + 21;  // the last block of members is not full
constexpr unsigned kThreads = 3;
constexpr int kWindows = 8;

RadioProfile fading_wifi() {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
  profile.channel.fading.los = NakagamiFading{.m = 1.5};
  profile.channel.fading.nlos = RayleighFading{};
  return profile;
}

/// Robots that walk on a square, each its own way, some behind walls.
Scene walk(double side_m, int window) {
  Scene scene;
  scene.at = SimTime{} + window * Nanoseconds{10'000'000};
  FrameRandom random(3, 0, 0);
  for (std::size_t i = 0; i < kManyRobots; ++i) {
    const double turned = 6.28 * random.uniform() + 0.05 * window;
    const double east = side_m * random.uniform() + 20 * std::cos(turned);
    const double north = side_m * random.uniform() + 20 * std::sin(turned);
    scene.robots.emplace_back().position = {east, north, 1.5};
  }
  scene.sights.resize(pair_count(kManyRobots));
  for (std::size_t pair = 0; pair < scene.sights.size(); pair += 5) {
    scene.sights[pair].line_of_sight = false;
    scene.sights[pair].walls.assign(1, WallCrossing{0, 0.2, 0.5});
  }
  return scene;
}

void expect_the_same(FarPairRule rule, double side_m) {
  const std::vector radios(kManyRobots, std::make_shared<const RadioProfile>(fading_wifi()));
  const std::vector<Material> materials{builtin_material("concrete").value()};
  EmbeddedNetsim alone(radios, materials, 5, nullptr, {}, {}, rule);
  EmbeddedNetsim shared(radios, materials, 5, nullptr, {}, {}, rule);
  shared.share_work(kThreads);
  EXPECT_EQ(alone.far_pairs().front().threads, 1U);
  EXPECT_EQ(shared.far_pairs().front().threads, kThreads);
  LinkTable one, several;
  std::size_t heard = 0;
  for (int window = 0; window < kWindows; ++window) {
    const Scene scene = walk(side_m, window);
    alone.link_states(scene, one);
    shared.link_states(scene, several);
    ASSERT_EQ(one.sparse, several.sparse);
    ASSERT_EQ(one.heard, several.heard) << "in the same order";
    ASSERT_EQ(one.links.size(), several.links.size());
    for (std::size_t link = 0; link < one.links.size(); ++link) {
      ASSERT_EQ(one.links[link].reachable, several.links[link].reachable);
      ASSERT_EQ(one.links[link].rssi_dbm, several.links[link].rssi_dbm);
      ASSERT_EQ(one.links[link].unicast.per_bit, several.links[link].unicast.per_bit);
      ASSERT_EQ(one.links[link].unicast_mode, several.links[link].unicast_mode);
      ASSERT_EQ(one.links[link].ack_loss, several.links[link].ack_loss);
      heard += one.links[link].reachable ? 1 : 0;
    }
    ASSERT_EQ(alone.far_pairs().front().visited, shared.far_pairs().front().visited);
    ASSERT_EQ(alone.far_pairs().front().heard, shared.far_pairs().front().heard);
  }
  EXPECT_GT(heard, 1000U);
  EXPECT_EQ(several.sparse, rule != FarPairRule::kNever);
}

TEST(SharedWork, ThreadsEqualOneThreadForAllPairs) {
  expect_the_same(FarPairRule::kNever, 1500);
}

TEST(SharedWork, ThreadsEqualOneThreadWithSkippedFarPairs) {
  expect_the_same(FarPairRule::kWhereMany, 2500);
}

TEST(SharedWork, SceneFaultsAreReportedFromAnyThread) {
  EmbeddedNetsim netsim(std::vector(kManyRobots, std::make_shared<const RadioProfile>(fading_wifi())), {}, 5);
  netsim.share_work(kThreads);
  LinkTable table;
  EXPECT_THROW(netsim.link_states(walk(1500, 0), table), std::runtime_error) << "walls of a material that is not there";
}

TEST(SharedWork, FewRadiosAreNotShared) {
  EmbeddedNetsim netsim(std::vector(10, std::make_shared<const RadioProfile>(fading_wifi())), {}, 5);
  netsim.share_work(kThreads);
  EXPECT_EQ(netsim.far_pairs().front().threads, 1U);
}

}  // namespace
}  // namespace hilgate::test

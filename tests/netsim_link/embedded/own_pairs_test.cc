// SPDX-License-Identifier: Apache-2.0
// Of a medium whose links several gateways compute, each finds of its own what it would find of all, bit by bit.
#include <gtest/gtest.h>

#include <cmath>

#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/numeric/random.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

constexpr std::size_t kWalkers = 150;
constexpr int kTimes = 8;

std::shared_ptr<const RadioProfile> radio(const std::string& name, bool fades) {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + name + ".yaml");
  if (fades) {
    profile.channel.fading.los = NakagamiFading{.m = 1.5};
    profile.channel.fading.nlos = RayleighFading{};
    profile.channel.fading.doppler = Hertz{3};
  }
  return std::make_shared<const RadioProfile>(profile);
}

Scene walked(double side_m, int window) {
  Scene scene;
  scene.at = SimTime{} + window * Nanoseconds{10'000'000};
  FrameRandom random(3, 0, 0);
  for (std::size_t i = 0; i < kWalkers; ++i) {
    const double turned = 6.28 * random.uniform() + 0.05 * window;
    const double east = side_m * random.uniform() + 20 * std::cos(turned);
    const double north = side_m * random.uniform() + 20 * std::sin(turned);
    scene.robots.emplace_back().position = {east, north, 1.5};
  }
  scene.sights.resize(pair_count(kWalkers));
  for (std::size_t pair = 0; pair < scene.sights.size(); pair += 5) {
    scene.sights[pair].line_of_sight = (pair + static_cast<std::size_t>(window)) % 3 == 0;
    scene.sights[pair].walls.assign(scene.sights[pair].line_of_sight ? 0 : 1, WallCrossing{0, 0.2, 0.5});
  }
  return scene;
}

void expect_equal(const LinkState& own, const LinkState& whole) {
  ASSERT_EQ(own.unicast.per_bit, whole.unicast.per_bit);
  ASSERT_EQ(own.multicast.per_bit, whole.multicast.per_bit);
  ASSERT_EQ(own.delay, whole.delay);
  ASSERT_EQ(own.rssi_dbm, whole.rssi_dbm);
  ASSERT_EQ(own.snr_db, whole.snr_db);
  ASSERT_EQ(own.unicast_mode, whole.unicast_mode);
  ASSERT_EQ(own.multicast_mode, whole.multicast_mode);
  ASSERT_EQ(own.reachable, whole.reachable);
  ASSERT_EQ(own.line_of_sight, whole.line_of_sight);
  ASSERT_EQ(own.ack_loss, whole.ack_loss);
  ASSERT_EQ(own.combined, whole.combined);
}

struct Wanted {
  std::vector<std::shared_ptr<const RadioProfile>> radios;  // in turns
  FarPairRule rule = FarPairRule::kNever;
  double side_m = 1500;
  bool together = false;  // those of one gateway have numbers that follow one another
};

// Three gateways; each finds its links, and together they find all.
void expect_own_pairs(const Wanted& wanted) {
  std::vector<std::shared_ptr<const RadioProfile>> radios;
  for (std::size_t i = 0; i < kWalkers; ++i) {
    radios.push_back(wanted.radios[i % wanted.radios.size()]);
  }
  const std::vector<Material> materials{builtin_material("concrete").value()};
  EmbeddedNetsim whole(radios, materials, 5, nullptr, {}, {}, wanted.rule);
  const auto gateway_of = [&](std::size_t robot) { return wanted.together ? robot * 3 / kWalkers : robot % 3; };
  std::vector<std::unique_ptr<EmbeddedNetsim>> parts;
  for (std::size_t gateway = 0; gateway < 3; ++gateway) {
    std::vector<bool> here;
    for (std::size_t i = 0; i < kWalkers; ++i) {
      here.push_back(gateway_of(i) == gateway);
    }
    parts.push_back(std::make_unique<EmbeddedNetsim>(radios, materials, 5, nullptr, AccessNetwork{},
                                                     std::vector<AntennaMount>{}, wanted.rule));
    parts.back()->leave_to_others(here);
  }
  LinkTable all;
  std::array<LinkTable, 3> tables;
  std::size_t heard = 0;
  for (int window = 0; window < kTimes; ++window) {
    const Scene scene = walked(wanted.side_m, window);
    whole.link_states(scene, all);
    for (std::size_t gateway = 0; gateway < 3; ++gateway) {
      LinkTable& own = tables[gateway];
      parts[gateway]->link_states(scene, own);
      EXPECT_TRUE(own.sparse);
      for (std::size_t link = 0; link < all.links.size(); ++link) {
        const std::size_t from = link / kWalkers, to = link % kWalkers;
        if (from == to) {
          continue;
        }
        if (gateway_of(from) == gateway || gateway_of(to) == gateway) {
          expect_equal(own.links[link], all.links[link]);
          heard += own.links[link].reachable ? 1 : 0;
        } else {
          ASSERT_FALSE(own.links[link].reachable);
          ASSERT_EQ(own.links[link].rssi_dbm, 0);
        }
        if (testing::Test::HasFatalFailure()) {
          FAIL() << "window " << window << ", from " << from << " to " << to << ", gateway " << gateway;
        }
      }
      EXPECT_LE(own.heard.size(), kWalkers * kWalkers - 100 * 99);
    }
  }
  EXPECT_GT(heard, 500U);
}

}  // namespace

TEST(OwnPairs, EqualTheWholeMedium) {
  expect_own_pairs({.radios = {radio("wifi_11n_2g4_adhoc", true)}});
  expect_own_pairs({.radios = {radio("wifi_11n_2g4_adhoc", true)}, .together = true});
}

TEST(OwnPairs, EqualTheWholeMediumWithSkippedFarPairs) {
  expect_own_pairs({.radios = {radio("wifi_11n_2g4_adhoc", true)}, .rule = FarPairRule::kAlways, .side_m = 4000});
  expect_own_pairs(
      {.radios = {radio("wifi_11n_2g4_adhoc", true)}, .rule = FarPairRule::kAlways, .side_m = 4000, .together = true});
}

TEST(OwnPairs, EqualTheWholeMediaOfSeveralKinds) {
  expect_own_pairs({.radios = {radio("lte_cat4", false), radio("xbee_802154", false), radio("wifi_11ac_80", false)}});
  expect_own_pairs({.radios = {radio("cc2420", false)}, .side_m = 100});
}

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/air_changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Three radios on a line, without shadowing and fading.
class AirChangesTest : public testing::Test {
 protected:
  AirChangesTest() {
    RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
    profile.channel.shadowing = {};
    profile.channel.fading = {};
    profile_ = std::make_shared<const RadioProfile>(profile);
    scene_.robots = {{{0, 0, 2}, {}}, {{50, 0, 2}, {}}, {{300, 0, 2}, {}}};
    scene_.sights.resize(pair_count(3));
    netsim_.emplace(std::vector{profile_, profile_, profile_}, std::vector{builtin_material("building").value()}, 1);
  }
  LinkState link(std::uint32_t from, std::uint32_t to, SimTime at = {}) {
    scene_.at = at;
    netsim_->link_states(scene_, table_);
    return table_.links[link_of(RobotIndex{from}, RobotIndex{to}, 3).value()];
  }
  [[nodiscard]] Jammer beside_the_first() const {
    return {.position = {0, 10, 2}, .power = {20}, .frequency = profile_->phy.frequency, .bandwidth = {20e6}};
  }

  std::shared_ptr<const RadioProfile> profile_;
  Scene scene_;
  LinkTable table_;
  std::optional<EmbeddedNetsim> netsim_;
};

TEST_F(AirChangesTest, AJammerRaisesTheNoiseAtReceiversByItsPathLoss) {
  const LinkState quiet = link(1, 0);
  const LinkState back = link(0, 1);
  netsim_->change({.jammers = {beside_the_first()}});
  const LinkState jammed = link(1, 0);
  const double loss_db = path_loss(profile_->channel.path_loss, {10, 10, 2, 2, true}, profile_->phy.frequency).value;
  const double jam_mw = ratio_of_db(20 + profile_->phy.rx_gain.value - profile_->phy.cable_loss.value - loss_db);
  const double noise_mw = milliwatts(profile_->phy.noise_floor());
  EXPECT_NEAR(quiet.snr_db - jammed.snr_db, db_of((jam_mw + noise_mw) / noise_mw), 0.01);
  EXPECT_EQ(jammed.rssi_dbm, quiet.rssi_dbm);
  EXPECT_LT(back.snr_db - link(0, 1).snr_db, quiet.snr_db - jammed.snr_db - 10) << "farther away there is less of it";
  EXPECT_GT(back.snr_db, link(0, 1).snr_db);
  netsim_->change({});
  EXPECT_EQ(link(1, 0).snr_db, quiet.snr_db) << "it has gone";
}

TEST_F(AirChangesTest, WallsAndOtherBandsKeepItOut) {
  const float quiet = link(1, 0).snr_db;
  Jammer jammer = beside_the_first();
  netsim_->change({.jammers = {jammer}});
  const float jammed = link(1, 0).snr_db;
  netsim_->change({.jammers = {jammer}, .obstacles = {{{{-5, 4, 0}, {5, 6, 10}}, 0, std::nullopt}}});
  EXPECT_GT(link(1, 0).snr_db, jammed + 3);
  jammer.frequency = {profile_->phy.frequency.value + 10e6};
  netsim_->change({.jammers = {jammer}});
  EXPECT_NEAR(link(1, 0).snr_db, jammed + 3, 0.1) << "half of it is beside the receiver's band";
  jammer.frequency = {5.5e9};
  netsim_->change({.jammers = {jammer}});
  EXPECT_NEAR(link(1, 0).snr_db, quiet, 1e-4);
}

TEST_F(AirChangesTest, AJammerIsOnForItsShareOfEachPeriod) {
  const float quiet = link(1, 0).snr_db;
  Jammer jammer = beside_the_first();
  jammer.duty = 0.3;
  jammer.period = 100ms;
  netsim_->change({.jammers = {jammer}});
  for (int i = 0; i < 40; ++i) {
    const bool is_on = i % 10 < 3;
    EXPECT_EQ(link(1, 0, SimTime{i * 10ms}).snr_db < quiet - 1, is_on) << i;
  }
}

TEST_F(AirChangesTest, AGivenPathLossStandsForAllThatIsBetween) {
  const LinkState other = link(0, 2);
  netsim_->change({.path_loss_db = {kNone, 80, kNone, kNone, kNone, kNone, 70, kNone, kNone}});
  const double budget = (profile_->phy.tx_power + profile_->phy.tx_gain - profile_->phy.cable_loss +
                         profile_->phy.rx_gain - profile_->phy.cable_loss)
                            .value;
  EXPECT_NEAR(link(0, 1).rssi_dbm, budget - 80, 1e-3);
  EXPECT_NEAR(link(2, 0).rssi_dbm, budget - 70, 1e-3);
  EXPECT_EQ(link(0, 2).rssi_dbm, other.rssi_dbm) << "one way alone";
  netsim_->change({.path_loss_db = {kNone, 300, kNone, kNone, kNone, kNone, kNone, kNone, kNone}});
  EXPECT_FALSE(link(0, 1).reachable);
  EXPECT_TRUE(link(1, 0).reachable);
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Links whose SINR is measured: all that follows from it is that of a modelled link at the same SINR.
#include "netsim_link/embedded/measured_sinrs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "netsim_link/embedded/embedded_netsim.h"
#include "netsim_link/trace/trace_file.h"
#include "rf_profiles/profile/cqi_levels.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Radio = std::shared_ptr<const RadioProfile>;

Radio radio_named(const std::string& name) {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + name + ".yaml");
  profile.channel.shadowing = {};
  profile.channel.fading = {};
  return std::make_shared<const RadioProfile>(profile);
}

std::shared_ptr<const TraceSchedule> schedule_of(const std::string& text, TraceEnd end = TraceEnd::kLoop) {
  return std::make_shared<const TraceSchedule>(parse_trace(text, "a.csv"), TracePlay{.end = end});
}

/// Two radios 50 m apart.
class TwoRadios {
 public:
  explicit TwoRadios(const Radio& radio) : radio_(radio), netsim_({radio, radio}, {}, 1) {
    scene_.robots = {{{0, 0, 2}, {}}, {{50, 0, 2}, {}}};
    scene_.sights.resize(1);
  }
  [[nodiscard]] EmbeddedNetsim& netsim() { return netsim_; }
  void place(double distance_m) { scene_.robots[1].position.x = distance_m; }
  LinkState there(SimTime at = {}) { return link(0, at); }
  LinkState back(SimTime at = {}) { return link(1, at); }

  /// Both ways by a path loss that gives the SINR.
  void model(double sinr_db) {
    const RadioPhy& phy = radio_->phy;
    const double loss =
        (phy.tx_power + phy.tx_gain - phy.cable_loss + phy.rx_gain - phy.cable_loss - phy.noise_floor()).value -
        sinr_db;
    netsim_.change({.path_loss_db = {0, loss, loss, 0}});
  }
  void measure(const std::string& text, TraceEnd end = TraceEnd::kLoop) {
    ASSERT_TRUE(netsim_.measured_sinr(RobotIndex{0}, RobotIndex{1}, schedule_of(text, end)));
    ASSERT_TRUE(netsim_.measured_sinr(RobotIndex{1}, RobotIndex{0}, schedule_of(text, end)));
  }

 private:
  LinkState link(std::uint32_t from, SimTime at) {
    scene_.at = at;
    netsim_.link_states(scene_, table_);
    return table_.links[link_of(RobotIndex{from}, RobotIndex{1 - from}, 2).value()];
  }

  Radio radio_;
  EmbeddedNetsim netsim_;
  Scene scene_;
  LinkTable table_;
};

void expect_same(const LinkState& measured, const LinkState& modelled, const std::string& what) {
  EXPECT_EQ(measured.unicast_mode, modelled.unicast_mode) << what;
  EXPECT_EQ(measured.multicast_mode, modelled.multicast_mode) << what;
  EXPECT_EQ(measured.reachable, modelled.reachable) << what;
  EXPECT_EQ(measured.delay, modelled.delay) << what;
  EXPECT_NEAR(measured.snr_db, modelled.snr_db, 1e-4) << what;
  EXPECT_NEAR(measured.rssi_dbm, modelled.rssi_dbm, 1e-4) << what;
  EXPECT_NEAR(measured.unicast.per_bit, modelled.unicast.per_bit, 1e-9 * modelled.unicast.per_bit) << what;
  EXPECT_NEAR(measured.multicast.per_bit, modelled.multicast.per_bit, 1e-9 * modelled.multicast.per_bit) << what;
  EXPECT_NEAR(measured.ack_loss, modelled.ack_loss, 1e-6) << what;
  for (std::size_t repeat = 0; repeat < measured.combined.size(); ++repeat) {
    EXPECT_NEAR(measured.combined[repeat], modelled.combined[repeat], 1e-6 * modelled.combined[repeat]) << what;
  }
}

TEST(MeasuredSinrs, AConstantOneIsAsAModelledLinkAtThatSinr) {
  for (const char* name : {"lte_cat4", "nr_n78_100", "wifi_11n_2g4_adhoc", "wifi_11ax_20", "sik_915_64k", "xbee_802154",
                           "lora_sx1276_sf7"}) {
    const Radio radio = radio_named(name);
    TwoRadios modelled(radio);
    for (double sinr = -25.013; sinr < 40; sinr += 1.37) {  // between the steps of the tables
      TwoRadios measured(radio);
      measured.measure(fmt::format("time_s,sinr\n0,{0}\n1,{0}\n", sinr));
      modelled.model(sinr);
      expect_same(measured.there(), modelled.there(), fmt::format("{} at {} dB", name, sinr));
      expect_same(measured.back(), modelled.back(), fmt::format("{} at {} dB, back", name, sinr));
    }
  }
}

TEST(MeasuredSinrs, HoldFromTheirInstantsOn) {
  TwoRadios radios(radio_named("lte_cat4"));
  const float by_place = radios.there().snr_db;
  TwoRadios measured(radio_named("lte_cat4"));
  measured.measure("time_s,sinr\n0,20\n1,-3\n2,7.5\n", TraceEnd::kClear);
  EXPECT_EQ(measured.there(SimTime{}).snr_db, 20);
  EXPECT_EQ(measured.there(SimTime{999ms}).snr_db, 20);
  EXPECT_EQ(measured.there(SimTime{1s}).snr_db, -3);
  EXPECT_TRUE(measured.there(SimTime{1s}).reachable);
  EXPECT_EQ(measured.back(SimTime{2500ms}).snr_db, 7.5F);
  EXPECT_EQ(measured.there(SimTime{3s}).snr_db, by_place) << "over and clear: by the models again";
}

TEST(MeasuredSinrs, PlaceAndJammersDoNotMatter) {
  TwoRadios radios(radio_named("wifi_11n_2g4_adhoc"));
  const LinkState back = radios.back();
  ASSERT_TRUE(radios.netsim().measured_sinr(RobotIndex{0}, RobotIndex{1}, schedule_of("time_s,snr\n0,12\n")));
  const LinkState near = radios.there();
  EXPECT_EQ(near.snr_db, 12);
  EXPECT_EQ(radios.back().snr_db, back.snr_db) << "one way alone";
  radios.place(900'000);
  radios.netsim().change(
      {.jammers = {{.position = {50, 1, 2}, .power = {30}, .frequency = {2.412e9}, .bandwidth = {20e6}}}});
  const LinkState far = radios.there();
  EXPECT_EQ(far.snr_db, 12);
  EXPECT_EQ(far.rssi_dbm, near.rssi_dbm);
  EXPECT_EQ(far.unicast_mode, near.unicast_mode);
  EXPECT_EQ(far.ack_loss, 1) << "the acknowledgement comes by the models";
  EXPECT_FALSE(radios.back().reachable);
}

TEST(MeasuredSinrs, CqisDriveTheirModesAndZeroIsOutOfRange) {
  const Radio radio = radio_named("lte_cat4");
  TwoRadios radios(radio);
  radios.measure("time_s,cqi\n0,0\n1,1\n2,8\n3,15\n");
  EXPECT_FALSE(radios.there(SimTime{0s}).reachable);
  const auto mode_at = [&](SimTime at) {
    const LinkState link = radios.there(at);
    EXPECT_TRUE(link.reachable);
    return radio->phy.modes[link.unicast_mode].name;  // the plan has one profile's modes, in their order
  };
  EXPECT_EQ(mode_at(SimTime{1s}), "mcs0");
  EXPECT_EQ(mode_at(SimTime{2s}), "mcs14");
  EXPECT_EQ(mode_at(SimTime{3s}), "mcs23") << "the most that a terminal of category 4 sends with";
  EXPECT_NEAR(radios.there(SimTime{2s}).snr_db, cqi_levels(*radio, RateTable(*radio))[8].value, 1e-4);
}

TEST(MeasuredSinrs, AreOfRadiosThatHearOneAnother) {
  RadioProfile other = *radio_named("lte_cat4");
  other.mac.domain = "another band";
  EmbeddedNetsim netsim({radio_named("lte_cat4"), std::make_shared<const RadioProfile>(other), nullptr}, {}, 1);
  const auto trace = schedule_of("time_s,sinr\n0,12\n");
  EXPECT_FALSE(netsim.measured_sinr(RobotIndex{0}, RobotIndex{1}, trace));
  EXPECT_FALSE(netsim.measured_sinr(RobotIndex{0}, RobotIndex{2}, trace));
}

// So many radios that pairs out of reach are left out of the windows.
TEST(MeasuredSinrs, FarPairsAreComputedToo) {
  RadioProfile profile = *radio_named("wifi_11n_2g4_adhoc");
  const std::vector<Radio> radios(70, std::make_shared<const RadioProfile>(profile));
  EmbeddedNetsim netsim(radios, {}, 1, nullptr, {}, {}, FarPairRule::kAlways);
  ASSERT_TRUE(netsim.measured_sinr(RobotIndex{3}, RobotIndex{69}, schedule_of("time_s,snr\n0,12\n")));
  Scene scene;
  for (int i = 0; i < 70; ++i) {
    scene.robots.push_back({{5'000.0 * i, 0, 2}, {}});
  }
  scene.sights.resize(pair_count(70));
  LinkTable table;
  for (int window = 0; window < 3; ++window) {
    netsim.link_states(scene, table);
    const LinkState& link = table.links[link_of(RobotIndex{3}, RobotIndex{69}, 70).value()];
    EXPECT_TRUE(link.reachable);
    EXPECT_EQ(link.snr_db, 12);
  }
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Links whose band fades in parts: OFDM modes meet their effective SINR, all others the mean.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "netsim_link/embedded/embedded_netsim.h"
#include "netsim_link/trace/trace_file.h"
#include "rf_profiles/errors/effective_sinr.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/profile/rate_table.h"

namespace hilgate::test {
namespace {

RadioProfile still_radio(const std::string& name, const FadingLaw& law) {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + name + ".yaml");
  profile.channel.shadowing = {};
  profile.channel.fading = {law, law, {}};
  profile.channel.draws_sight = false;
  return profile;
}

/// From a radio at (0, 0, 2) to one at (x, 0, 2), with these paths traced between them.
LinkState link_of_two(const RadioProfile& profile, double x_m, const std::vector<Path>& paths = {}) {
  const auto radio = std::make_shared<const RadioProfile>(profile);
  EmbeddedNetsim netsim({radio, radio}, {}, 1);
  Scene scene{SimTime{}, {{{0, 0, 2}, {}}, {{x_m, 0, 2}, {}}}, {{}}};
  scene.sights[0].paths = paths;
  LinkTable table;
  netsim.link_states(scene, table);
  return table.links[1];
}

void expect_alike(const LinkState& one, const LinkState& other, const std::string& what) {
  EXPECT_EQ(one.unicast_mode, other.unicast_mode) << what;
  EXPECT_EQ(one.reachable, other.reachable) << what;
  EXPECT_NEAR(one.snr_db, other.snr_db, 1e-4) << what;
  EXPECT_NEAR(one.unicast.per_bit, other.unicast.per_bit, 1e-5 * other.unicast.per_bit) << what;
  EXPECT_NEAR(one.multicast.per_bit, other.multicast.per_bit, 1e-5 * other.multicast.per_bit) << what;
  EXPECT_NEAR(one.ack_loss, other.ack_loss, 1e-5) << what;
  for (std::size_t repeat = 0; repeat < one.combined.size(); ++repeat) {
    EXPECT_NEAR(one.combined[repeat], other.combined[repeat], 1e-5 * other.combined[repeat]) << what;
  }
}

// Of one echo the band is flat, and all is as without echoes; so it is of rates that are chosen in other ways.
TEST(SelectiveFading, OfOneEchoIsNone) {
  for (const std::string name : {"wifi_11n_2g4_adhoc", "wifi_11ac_80", "wifi_11ax_20", "lte_cat4"}) {
    for (double x_m = 5; x_m < 3000; x_m *= 1.7) {
      const Path straight{{{0, 0, 2}, 0}, {{x_m, 0, 2}, 0}};
      expect_alike(link_of_two(still_radio(name, TracedFading{}), x_m, {straight}),
                   link_of_two(still_radio(name, NoFading{}), x_m), fmt::format("{} at {} m", name, x_m));
    }
  }
  const auto with_minstrel = [](const FadingLaw& law) {
    RadioProfile profile = still_radio("wifi_11n_2g4_adhoc", law);
    profile.mac.rate_control.type = RateControl::Type::kMinstrel;
    return link_of_two(profile, 150);
  };
  expect_alike(with_minstrel(TracedFading{}), with_minstrel(NoFading{}), "minstrel");
}

/// The direct way, and one that a wall reflects, `longer_m` longer and weaker by its loss.
std::vector<Path> two_ways(double x_m, double longer_m, double loss_db) {
  const double half = (x_m + longer_m) / 2;
  const double aside = std::sqrt(half * half - x_m * x_m / 4);
  return {{{{0, 0, 2}, 0}, {{x_m, 0, 2}, 0}}, {{{0, 0, 2}, 0}, {{x_m / 2, aside, 2}, loss_db}, {{x_m, 0, 2}, 0}}};
}

// Two traced ways in 20 MHz: power and effective SINRs by integrals of |1 + a exp(-j (phi + 2 pi f tau))|^2.
TEST(SelectiveFading, OfTwoTracedWaysIsThatOfTheirSum) {
  RadioProfile profile = still_radio("wifi_11n_2g4_adhoc", TracedFading{});
  const RateTable rates(profile);
  int worse = 0;
  for (double x_m = 20; x_m < 260; x_m *= 1.3) {
    const double longer_m = 45;
    const std::vector<Path> paths = two_ways(x_m, longer_m, 1);
    const LinkState got = link_of_two(profile, x_m, paths);
    const auto power_of = [&](const Path& path) {
      return ratio_of_db(static_cast<double>(link_of_two(profile, x_m, {path}).rssi_dbm));
    };
    const double direct = power_of(paths[0]);
    const double reflected = power_of(paths[1]);
    constexpr int kSteps = 3'000;
    std::vector<float> gains;
    double mean = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double hz = profile.phy.frequency.value + 20e6 * ((i + 0.5) / kSteps - 0.5);
      const double power =
          direct + reflected +
          2 * std::sqrt(direct * reflected) * std::cos(2 * std::numbers::pi * hz * longer_m / kLightSpeed);
      gains.push_back(static_cast<float>(power));
      mean += power / kSteps;
    }
    for (float& gain : gains) {
      gain /= static_cast<float>(mean);
    }
    EXPECT_NEAR(got.rssi_dbm, db_of(mean), 0.03) << x_m;
    const RadioMode& mode = profile.phy.modes[got.unicast_mode];
    const Decibels effective = effective_sinr(gains, {static_cast<double>(got.snr_db)}, mode.beta);
    const double hazard = rates.hazard_in(got.unicast_mode, effective);
    if (hazard > 1e-9) {
      EXPECT_NEAR(std::log(got.unicast.per_bit / hazard), 0, 0.3) << x_m << ", " << mode.name;
    }
    const std::uint8_t flat = rates.unicast({static_cast<double>(got.snr_db)}).mode;
    EXPECT_LE(got.unicast_mode, flat) << x_m;
    worse += got.unicast_mode < flat ? 1 : 0;
    EXPECT_NEAR(got.multicast.per_bit, rates.multicast_hazard({static_cast<double>(got.snr_db)}),
                1e-3 * got.multicast.per_bit)
        << "DSSS takes the band as one";
  }
  EXPECT_GT(worse, 2);
}

// What is measured at the receiver has its band in it.
TEST(SelectiveFading, IsNotOnTopOfAMeasuredSinr) {
  const auto measured = [](const FadingLaw& law) {
    const auto radio = std::make_shared<const RadioProfile>(still_radio("lte_cat4", law));
    EmbeddedNetsim netsim({radio, radio}, {}, 1);
    const auto trace =
        std::make_shared<const TraceSchedule>(parse_trace("time_s,sinr\n0,9.3\n1,9.3\n", "a.csv"), TracePlay{});
    EXPECT_TRUE(netsim.measured_sinr(RobotIndex{0}, RobotIndex{1}, trace));
    Scene scene{SimTime{}, {{{0, 0, 2}, {}}, {{50, 0, 2}, {}}}, {{}}};
    LinkTable table;
    netsim.link_states(scene, table);
    return table.links[1];
  };
  const LinkState flat = measured(NoFading{});
  const LinkState selective = measured(TdlFading{.line = "TDL-A", .delay_spread = Nanoseconds{300}});
  EXPECT_EQ(selective.unicast_mode, flat.unicast_mode);
  EXPECT_EQ(selective.unicast.per_bit, flat.unicast.per_bit);
}

// A wide band does not fade as a whole: the level hardly varies from place to place, a narrow one's does as Rayleigh.
TEST(SelectiveFading, AWideBandVariesLessThanANarrowOne) {
  const auto spread_db = [](Nanoseconds delay_spread) {
    const auto radio = std::make_shared<const RadioProfile>(
        still_radio("wifi_11ac_80", TdlFading{.line = "TDL-A", .delay_spread = delay_spread}));
    EmbeddedNetsim netsim({radio, radio}, {}, 1);
    Scene scene{SimTime{}, {{{0, 0, 2}, {}}, {{50, 0, 2}, {}}}, {{}}};
    LinkTable table;
    double sum = 0;
    double square = 0;
    constexpr int kPlaces = 1000;
    for (int i = 0; i < kPlaces; ++i) {
      scene.robots[0].position.y += i % 2 == 0 ? 0.7 : -0.7;
      netsim.link_states(scene, table);
      const auto rssi = static_cast<double>(table.links[1].rssi_dbm);
      sum += rssi / kPlaces;
      square += rssi * rssi / kPlaces;
    }
    return std::sqrt(square - sum * sum);
  };
  EXPECT_NEAR(spread_db(Nanoseconds{1}), 5.57, 0.5) << "Rayleigh, in dB";
  double squares = 0;
  for (const double tap : tdl_profile("TDL-A").powers()) {
    squares += tap * tap;
  }
  EXPECT_NEAR(spread_db(Nanoseconds{1000}), 10 / std::numbers::ln10 * std::sqrt(squares), 0.2)
      << "all taps apart: the variance of their sum";
}

}  // namespace
}  // namespace hilgate::test

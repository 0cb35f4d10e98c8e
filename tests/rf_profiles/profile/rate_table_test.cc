// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/rate_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

const RadioProfile& adhoc_radio() {
  static const RadioProfile profile =
      load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
  return profile;
}

std::string mode_at(const RateTable& table, double snr_db) {
  return adhoc_radio().phy.modes[table.unicast(Decibels{snr_db}).mode].name;
}

TEST(RateTable, FasterModesAsTheAirGetsBetter) {
  const RateTable table(adhoc_radio());
  EXPECT_EQ(mode_at(table, -30), "mcs0");
  EXPECT_EQ(mode_at(table, 0), "mcs0");
  EXPECT_EQ(mode_at(table, 25), "mcs7");
  EXPECT_EQ(mode_at(table, 100), "mcs7");
  std::uint8_t last = 0;
  for (double snr = -10; snr < 40; snr += 0.01) {
    const std::uint8_t mode = table.unicast(Decibels{snr}).mode;
    EXPECT_GE(mode, last) << "at " << snr << " dB";
    last = mode;
  }
}

TEST(RateTable, ChosenModeHasTheHighestExpectedGoodput) {
  const RateTable table(adhoc_radio());
  for (double snr = -2; snr < 30; snr += 0.05) {  // the table's own bins
    const RateTable::Choice choice = table.unicast(Decibels{snr + 1e-9});
    const auto goodput = [&](std::size_t mode) {
      const RadioMode& m = adhoc_radio().phy.modes[mode];
      return expected_goodput_bps(m.phy, adhoc_radio().mac, adhoc_radio().mac.rate_control.frame_bytes, m.hazard(snr));
    };
    for (const std::size_t other : adhoc_radio().mac.rate_control.modes) {
      EXPECT_GE(goodput(choice.mode) * (1 + 1e-9), goodput(other)) << "at " << snr << " dB";
    }
  }
}

TEST(RateTable, InterpolatesTheCurves) {
  const RateTable table(adhoc_radio());
  for (double snr = -3; snr < 25; snr += 0.0137) {
    const RateTable::Choice choice = table.unicast(Decibels{snr});
    const double exact = adhoc_radio().phy.modes[choice.mode].hazard(snr);
    EXPECT_NEAR(choice.hazard, exact, 0.005 * exact + 1e-8) << "at " << snr << " dB";
  }
}

TEST(RateTable, LeastUsableSnrIsWhereNothingGetsThrough) {
  const RateTable table(adhoc_radio());
  EXPECT_GT(table.least_usable_snr().value, -8);  // of dsss1; of mcs0 it is 5 dB above
  EXPECT_LT(table.least_usable_snr().value, -6);
}

TEST(RateTable, FixedTakesItsModeWhateverTheSnr) {
  RadioProfile fixed = adhoc_radio();
  fixed.mac.rate_control = {RateControl::Type::kFixed, {3}, 1514};
  const RateTable table(fixed);
  for (const double snr : {-20.0, 5.0, 50.0}) {
    EXPECT_EQ(table.unicast(Decibels{snr}).mode, 3);
  }
}

TEST(Goodput, MoreTriesNeverMakeMoreThanTheCleanLink) {
  const PhyMode& mode = adhoc_radio().phy.modes[0].phy;
  const double clean = expected_goodput_bps(mode, adhoc_radio().mac, 1514, 0);
  EXPECT_NEAR(clean, 8 * 1514 / try_time_s(mode, adhoc_radio().mac, 1514, 15), 1);
  EXPECT_LT(expected_goodput_bps(mode, adhoc_radio().mac, 1514, 1e-4), clean / 2);
  EXPECT_EQ(expected_goodput_bps(mode, adhoc_radio().mac, 1514, 1e6), 0);
}

// Reports pick an MCS a step below the last that loses a tenth of its blocks at most; below Qout there is no
// cell. Category 4 sends 51024 bits a millisecond at most on the uplink.
TEST(RateTable, LteAdaptsByReportsAndEndsWithItsControlChannel) {
  const std::string file = HILGATE_SOURCE_DIR "/rf_profiles/profiles/lte_cat4.yaml";
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const RadioProfile user = parse_radio_profile(text, file);
  text.replace(text.find("role: user"), 10, "role: base");
  const RadioProfile base = parse_radio_profile(text, file);
  const auto mode_at = [](const RadioProfile& profile, double snr_db) {
    return profile.phy.modes[RateTable(profile).unicast(Decibels{snr_db}).mode].name;
  };
  EXPECT_EQ(mode_at(base, 18.6), "mcs24");
  EXPECT_EQ(mode_at(base, -2.67), "mcs2");
  EXPECT_EQ(mode_at(base, 40), "mcs28");
  EXPECT_EQ(mode_at(user, 40), "mcs23");
  EXPECT_EQ(RateTable(base).least_usable_snr().value, -5);
  EXPECT_EQ(base.mac.latency, Nanoseconds{3'400'000});
  EXPECT_EQ(user.mac.latency, Nanoseconds{11'800'000});
}

}  // namespace
}  // namespace hilgate::test

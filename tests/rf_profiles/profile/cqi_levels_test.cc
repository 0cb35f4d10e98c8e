// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/cqi_levels.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "rf_profiles/errors/lte.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

RadioProfile library_radio(const std::string& name) {
  return load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + name + ".yaml");
}

/// Which sends with all modes.
RadioProfile lte_base_station() {
  std::ifstream file(HILGATE_SOURCE_DIR "/rf_profiles/profiles/lte_cat4.yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.replace(text.find("role: user"), 10, "role: base");
  return parse_radio_profile(text, "lte_cat4.yaml");
}

std::string mode_of(const RadioProfile& profile, const RateTable& rates, Decibels snr) {
  return profile.phy.modes[rates.unicast(snr).mode].name;
}

// 3GPP TS 36.213, table 7.2.3-1.
TEST(CqiLevels, EfficienciesAreThoseOfTheStandard) {
  const std::array<double, 15> table = {0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141,
                                        2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547};
  for (int cqi = 1; cqi <= 15; ++cqi) {
    EXPECT_NEAR(lte_cqi_efficiency(cqi), table[static_cast<std::size_t>(cqi) - 1], 5e-5) << cqi;
    EXPECT_EQ(lte_mcs_efficiency(lte_cqi_mcs(cqi)), lte_cqi_efficiency(cqi));
  }
  EXPECT_NEAR(lte_mcs_efficiency(23), (3.9023 + 4.5234) / 2, 1e-4);
}

TEST(CqiLevels, OfLteDriveTheModeOfTheCqi) {
  const RadioProfile profile = lte_base_station();
  const RateTable rates(profile);
  const auto levels = cqi_levels(profile, rates);
  EXPECT_LT(levels[0], rates.least_usable_snr());
  for (int cqi = 1; cqi <= 15; ++cqi) {
    const Decibels level = levels[static_cast<std::size_t>(cqi)];
    EXPECT_EQ(mode_of(profile, rates, level), "mcs" + std::to_string(lte_cqi_mcs(cqi))) << cqi;
    EXPECT_GE(level, rates.least_usable_snr()) << "in synchronisation";
    if (cqi > 1) {
      EXPECT_GT(level, levels[static_cast<std::size_t>(cqi) - 1]);
      EXPECT_LT(rates.unicast(level - Decibels{0.1}).mode, rates.unicast(level).mode) << "the least one";
    }
  }
}

// A terminal of category 4 sends with 16QAM up to 51 Mbit/s.
TEST(CqiLevels, AreOfTheModesThatTheSenderPicks) {
  const RadioProfile profile = library_radio("lte_cat4");
  const RateTable rates(profile);
  const auto levels = cqi_levels(profile, rates);
  EXPECT_EQ(mode_of(profile, rates, levels[12]), "mcs22");
  EXPECT_EQ(mode_of(profile, rates, levels[13]), "mcs23");
  EXPECT_EQ(levels[15], levels[13]);
}

// Its modes have the attenuated rate of their SINR alone: 0.19 to 4.4 bit/s/Hz.
TEST(CqiLevels, OfOtherRadiosDriveTheBestModeOfThatEfficiency) {
  const RadioProfile profile = library_radio("nr_n78_100");
  const RateTable rates(profile);
  const auto levels = cqi_levels(profile, rates);
  for (std::size_t cqi = 1; cqi < levels.size(); ++cqi) {
    const auto efficiency = [&](const RadioMode& mode) { return mode.phy.rate_bps / profile.phy.bandwidth.value; };
    const std::size_t driven = rates.unicast(levels[cqi]).mode;
    const double asked = lte_cqi_efficiency(static_cast<int>(cqi));
    double best = 0;
    for (const RadioMode& mode : profile.phy.modes) {
      best = efficiency(mode) <= asked ? std::max(best, efficiency(mode)) : best;
    }
    if (best > 0) {
      EXPECT_EQ(efficiency(profile.phy.modes[driven]), best) << cqi;
    } else {
      EXPECT_EQ(driven, 0U) << cqi;
    }
  }
}

}  // namespace
}  // namespace hilgate::test

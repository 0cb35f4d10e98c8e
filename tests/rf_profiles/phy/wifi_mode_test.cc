// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/phy/wifi_mode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace hilgate::test {
namespace {

TEST(WifiMode, RatesEqualTheStandard) {
  const double legacy[] = {6, 9, 12, 18, 24, 36, 48, 54};
  const double ht20[] = {6.5, 13, 19.5, 26, 39, 52, 58.5, 65};
  std::size_t i = 0;
  for (const std::string& name : wifi_mode_names(WifiFormat::kLegacy)) {
    EXPECT_DOUBLE_EQ(wifi_phy_mode(wifi_mode(name, WifiFormat::kLegacy, {}), {}).rate_bps, legacy[i++] * 1e6) << name;
  }
  i = 0;
  for (const std::string& name : wifi_mode_names(WifiFormat::kHt)) {
    EXPECT_DOUBLE_EQ(wifi_phy_mode(wifi_mode(name, WifiFormat::kHt, {}), {}).rate_bps, ht20[i++] * 1e6) << name;
  }
  const WifiFraming wide{.width_mhz = 80};
  EXPECT_DOUBLE_EQ(wifi_phy_mode(wifi_mode("mcs9", WifiFormat::kVht, wide), wide).rate_bps, 390e6);
}

TEST(WifiMode, BandWithSignalExtensionMakesFrameAndAckLonger) {
  const WifiFraming five_ghz;
  const WifiFraming two_ghz{.sifs = Nanoseconds{10'000}, .signal_extension = Nanoseconds{6'000}};
  const WifiMode mode = wifi_mode("mcs7", WifiFormat::kHt, five_ghz);
  const PhyMode five = wifi_phy_mode(mode, five_ghz);
  const PhyMode two = wifi_phy_mode(mode, two_ghz);
  EXPECT_EQ(two.air_time(1514) - five.air_time(1514), Nanoseconds{6'000});
  EXPECT_EQ(five.ack, Nanoseconds{16'000 + 28'000});  // 24 Mbit/s: 20 us and two symbols
  EXPECT_EQ(two.ack, Nanoseconds{10'000 + 28'000 + 6'000});
  EXPECT_EQ(wifi_phy_mode(wifi_mode("mcs0", WifiFormat::kHt, {}), {}).ack, Nanoseconds{16'000 + 44'000});
}

// IEEE 802.11-2020, 10.6.6.5 and 10.6.11: by modulation and coding, not by the rate of wide or multi-stream frames.
TEST(WifiMode, AnswersAreAsFastAsTheNonHtReferenceRateAllows) {
  constexpr unsigned kReference[] = {6, 12, 18, 24, 36, 48, 54, 54, 54, 54};
  constexpr std::int64_t kAckUs[] = {16 + 44, 16 + 32, 16 + 32, 16 + 28, 16 + 28,
                                     16 + 28, 16 + 28, 16 + 28, 16 + 28, 16 + 28};
  for (const WifiFormat format : {WifiFormat::kHt, WifiFormat::kVht}) {
    for (const unsigned width_mhz : {20U, 40U, 80U}) {
      for (const unsigned streams : {1U, 2U, 3U, 4U}) {
        const WifiFraming framing{.width_mhz = width_mhz, .streams = streams};
        for (std::size_t mcs = 0; mcs < (format == WifiFormat::kHt ? 8U : 10U); ++mcs) {
          const WifiMode mode = wifi_mode("mcs" + std::to_string(mcs), format, framing);
          EXPECT_EQ(non_ht_reference_mbps(mode.coding), kReference[mcs]) << mcs;
          EXPECT_EQ(wifi_phy_mode(mode, framing).ack, Nanoseconds{1000 * kAckUs[mcs]})
              << mode.name << " at " << width_mhz << " MHz with " << streams << " streams";
        }
      }
    }
  }
  for (const std::string& name : wifi_mode_names(WifiFormat::kLegacy)) {
    EXPECT_EQ(fmt::format("ofdm{}", non_ht_reference_mbps(wifi_mode(name, WifiFormat::kLegacy, {}).coding)), name);
  }
}

// IEEE 802.11ax-2021, tables 27-79, 27-90 and 27-99: one stream, guard interval of 0.8 us.
TEST(WifiMode, HeRatesEqualTheStandard) {
  struct Width {
    unsigned mhz;
    double lowest_mbps, highest_mbps;
  };
  for (const Width& width : {Width{20, 8.6, 143.4}, Width{40, 17.2, 286.8}, Width{80, 36.0, 600.5}}) {
    const WifiFraming framing{.width_mhz = width.mhz};
    const auto rate = [&](const char* name) {
      return wifi_phy_mode(wifi_mode(name, WifiFormat::kHe, framing), framing).rate_bps / 1e6;
    };
    EXPECT_NEAR(rate("mcs0"), width.lowest_mbps, 0.05) << width.mhz;
    EXPECT_NEAR(rate("mcs11"), width.highest_mbps, 0.1) << width.mhz;  // 8166 of 8166.7 bits a symbol at 80 MHz
  }
  EXPECT_EQ(wifi_mode_names(WifiFormat::kHe).size(), 12U);
  EXPECT_EQ(wifi_mode_names(WifiFormat::kVht).size(), 10U);
  EXPECT_THROW(wifi_mode("mcs10", WifiFormat::kVht, {}), std::invalid_argument);
}

TEST(WifiMode, TheHePreambleHasItsTrainingByGuardAndStreams) {
  const auto preamble = [](unsigned streams, Nanoseconds guard) {
    const WifiFraming framing{.streams = streams, .guard = guard};
    return wifi_phy_mode(wifi_mode("mcs0", WifiFormat::kHe, framing), framing).preamble;
  };
  EXPECT_EQ(preamble(1, Nanoseconds{800}), Nanoseconds{36'000 + 7'200});
  EXPECT_EQ(preamble(2, Nanoseconds{800}), Nanoseconds{36'000 + 14'400});
  EXPECT_EQ(preamble(1, Nanoseconds{3'200}), Nanoseconds{36'000 + 16'000});
}

TEST(WifiMode, StreamsAddTrainingAndRate) {
  const WifiFraming two{.streams = 2};
  const WifiMode mode = wifi_mode("mcs7", WifiFormat::kHt, two);
  EXPECT_EQ(mode.data_bits_per_symbol, 520u);
  EXPECT_EQ(wifi_phy_mode(mode, two).preamble, Nanoseconds{40'000});
  EXPECT_EQ(wifi_phy_mode(wifi_mode("ofdm6", WifiFormat::kHt, two), two).preamble, Nanoseconds{20'000});
}

TEST(WifiMode, UnknownNameListsTheModes) {
  try {
    static_cast<void>(wifi_mode("mcs8", WifiFormat::kHt, {}));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "'mcs8' is not a mode of this format; allowed: ofdm6, ofdm9, ofdm12, ofdm18, ofdm24, ofdm36, ofdm48, "
                 "ofdm54, mcs0, "
                 "mcs1, mcs2, mcs3, mcs4, mcs5, mcs6, mcs7");
  }
}

}  // namespace
}  // namespace hilgate::test

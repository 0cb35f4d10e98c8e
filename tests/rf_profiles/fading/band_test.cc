// SPDX-License-Identifier: Apache-2.0
// Fading over a band: against closed forms of its power and of its correlation in frequency.
#include "rf_profiles/fading/band.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <vector>

#include "rf_profiles/fading/fading.h"
#include "rf_profiles/numeric/decibel.h"
#include "tests/rf_profiles/statistics.h"

namespace hilgate::test {
namespace {

using std::chrono_literals::operator""ns;
constexpr Hertz kBandCarrier{5.2e9};
constexpr Hertz kBandWidth{20e6};
constexpr std::size_t kBandPairs = 1500;

TEST(Band, OfOneEchoIsFlat) {
  const Band band(kBandWidth, 0);
  std::vector<float> gains(band.frequencies());
  const Echo echo{{0.3, -0.4}, 70e-9};
  EXPECT_NEAR(band.gains_of({&echo, 1}, gains), 0.25, 1e-12);
  for (const float gain : gains) {
    EXPECT_NEAR(gain, 1, 1e-6);
  }
}

TEST(Band, OfTwoEchoesTurnsBetweenSumAndDifference) {
  constexpr double kDelay = 200e-9;  // four turns
  const Band band(kBandWidth, kDelay);
  EXPECT_EQ(band.frequencies(), 16U);
  std::vector<float> gains(band.frequencies());
  const Echo echoes[] = {{1, 0}, {0.5, kDelay}};
  EXPECT_NEAR(band.gains_of(echoes, gains), 1.25, 1e-9) << "whole turns: the powers add";
  for (std::size_t k = 0; k < gains.size(); ++k) {
    const double hz = kBandWidth.value * ((static_cast<double>(k) + 0.5) / 16 - 0.5);
    EXPECT_NEAR(gains[k], (1.25 + std::cos(2 * std::numbers::pi * hz * kDelay)) / 1.25, 1e-6) << k;
  }
}

TEST(Band, WhereNothingArrivesGainsAreOne) {
  const Band band(kBandWidth, 0);
  std::vector<float> gains(band.frequencies());
  EXPECT_EQ(band.gains_of({}, gains), 0);
  EXPECT_EQ(gains[3], 1);
}

/// Of each pair: powers at all frequencies, over the mean of all time.
std::vector<std::vector<double>> powers_over_band(const FadingLaw& law, const Band& band) {
  FadingField field({law, law, {}}, kBandCarrier, kBandPairs, 4);
  std::vector<std::vector<double>> powers;
  std::vector<Echo> echoes;
  std::vector<float> gains(band.frequencies());
  for (std::size_t pair = 0; pair < kBandPairs; ++pair) {
    field.update(pair, 1.3, 0, true);
    field.echoes(pair, true, echoes);
    const double mean = band.gains_of(echoes, gains);
    powers.emplace_back(gains.begin(), gains.end());
    for (double& power : powers.back()) {
      power *= mean;
    }
  }
  return powers;
}

// The amplitude at one frequency is a sum of many waves, and so Gaussian: Rayleigh.
TEST(Band, EachFrequencyOfTdlAIsRayleigh) {
  const FadingLaw law = TdlFading{.line = "TDL-A", .delay_spread = 100ns};
  std::vector<double> of_one;
  for (const std::vector<double>& powers : powers_over_band(law, band_of({law, law, {}}, kBandWidth))) {
    of_one.push_back(powers[5]);
  }
  EXPECT_LT(kolmogorov_distance(of_one, rayleigh_cdf), kolmogorov_limit(kBandPairs));
}

// Of powers of Rayleigh fading the correlation is |sum of p exp(-j 2 pi delta_f tau)|^2 over the taps.
TEST(Band, CorrelationOverFrequencyIsThatOfTheDelays) {
  for (const std::string line : {"TDL-A", "TDL-B", "TDL-C"}) {
    const FadingLaw law = TdlFading{.line = line, .delay_spread = 100ns};
    const Band band = band_of({law, law, {}}, kBandWidth);
    const FadingWaves waves = std::get<TdlFading>(law).waves();
    const auto powers = powers_over_band(law, band);
    for (const std::size_t apart : {1U, 3U, 8U}) {
      double sum = 0;
      const std::size_t places = band.frequencies() - apart;
      for (const std::vector<double>& of_pair : powers) {
        for (std::size_t k = 0; k < places; ++k) {
          sum += (of_pair[k] - 1) * (of_pair[k + apart] - 1) / static_cast<double>(kBandPairs * places);
        }
      }
      const double delta_hz = kBandWidth.value * static_cast<double>(apart) / static_cast<double>(band.frequencies());
      std::complex<double> expected = 0;
      for (std::size_t tap = 0; tap < waves.taps.size(); ++tap) {
        expected += waves.taps[tap] * std::polar(1.0, -2 * std::numbers::pi * delta_hz * waves.delays_s[tap]);
      }
      EXPECT_NEAR(sum, std::norm(expected), 0.12) << line << ", " << apart;
    }
  }
}

// TDL-D: a line of sight of 13.3 dB over the diffuse part of its own delay.
TEST(Band, SteadyWaveKeepsItsShareAtEachFrequency) {
  const FadingLaw law = TdlFading{.line = "TDL-D", .delay_spread = 30ns};
  const FadingWaves waves = std::get<TdlFading>(law).waves();
  EXPECT_NEAR(waves.delays_s[1], 0.035 * 30e-9, 1e-15);
  std::vector<double> of_one;
  for (const std::vector<double>& powers : powers_over_band(law, band_of({law, law, {}}, kBandWidth))) {
    of_one.push_back(powers[2]);
  }
  const double k = waves.steady / (1 - waves.steady);
  EXPECT_LT(kolmogorov_distance(of_one, [&](double power) { return rice_cdf(k, power); }),
            kolmogorov_limit(kBandPairs));
}

TEST(Band, NoPairEverHasMoreThanTheGreatestGain) {
  const FadingLaw law = TdlFading{.line = "TDL-C", .delay_spread = 300ns};
  FadingField field({law, law, {}}, kBandCarrier, 1, 4);
  for (const auto& powers : powers_over_band(law, band_of({law, law, {}}, kBandWidth))) {
    EXPECT_LT(db_of(*std::ranges::max_element(powers)), field.greatest_gain().value);
  }
}

class ImpulseResponse : public testing::Test {
 protected:
  ~ImpulseResponse() override { std::filesystem::remove(file_); }
  TapDelays read(const std::string& text) {
    std::ofstream(file_) << text;
    return read_tap_delays(file_);
  }
  std::string fault_of(const std::string& text) {
    try {
      read(text);
    } catch (const std::runtime_error& error) {
      return std::string(error.what()).substr(file_.size());
    }
    return "none";
  }

 private:
  std::string file_ = std::filesystem::temp_directory_path() / ("hgt-impulse-" + std::to_string(getpid()) + ".csv");
};

TEST_F(ImpulseResponse, IsReadWithRelativePowers) {
  const TapDelays taps = read("delay_ns,power_db\r\n0,-3\r\n50,-3\r\n\n120.5,-300\n");
  ASSERT_EQ(taps.power.size(), 3U);
  EXPECT_NEAR(taps.power[0], 0.5, 1e-9);
  EXPECT_NEAR(taps.delay_s[2], 120.5e-9, 1e-18);
  ImpulseResponseFading law{.taps = taps, .k = 4};
  EXPECT_NEAR(law.waves().steady, 0.4, 1e-9);
  EXPECT_NEAR(law.waves().taps[0], 0.1, 1e-9);
}

TEST_F(ImpulseResponse, FaultsHaveTheirLine) {
  EXPECT_EQ(fault_of("delay,power\n"), ":1: the header is 'delay,power'; it must be 'delay_ns,power_db'");
  EXPECT_EQ(fault_of("delay_ns,power_db\n0,0\n50\n"), ":3: '50' does not have the two fields delay_ns,power_db");
  EXPECT_EQ(fault_of("delay_ns,power_db\n0,0\n50,-3\n50,-3\n"),
            ":4: the delay 50 ns is not after 50 ns of the row in front");
  EXPECT_THAT(fault_of("delay_ns,power_db\n-1,0\n"),
              testing::HasSubstr(":2: '-1,0' is out of range; allowed: delay 0"));
  EXPECT_THAT(fault_of("delay_ns,power_db\n0,nan\n"), testing::HasSubstr(":2: "));
  EXPECT_EQ(fault_of("delay_ns,power_db\n"), ": has 0 taps; allowed: 1 to 256");
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/fit_command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <utility>

#include "config/config_file.h"
#include "rf_profiles/fit/log_reader.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/report/link_report.h"

namespace hilgate::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder with a log of a robot that goes away from its base station, whose loss at 1 m and exponent are known.
class FitCommandTest : public testing::Test {
 protected:
  FitCommandTest() : folder_(fs::temp_directory_path() / fmt::format("hgt-fit-{}", getpid())) {
    fs::create_directories(folder_);
    command_.log = (folder_ / "log.csv").string();
    columns_ = parse_log_columns("time=t,x=x,y=y,z=z,level=rssi");
    columns_.other_end = OtherEnd{0, 0, 10};
    command_.read = [this] { return read_measured_log(read_config_file(command_.log), command_.log, columns_); };
    command_.base = "wifi_11ag";
    command_.to = (folder_ / "mine.yaml").string();
    command_.report = (folder_ / "report.txt").string();
    command_.folders = {HILGATE_SOURCE_DIR "/rf_profiles/profiles"};
  }
  ~FitCommandTest() override { fs::remove_all(folder_); }
  FitCommandTest(const FitCommandTest&) = delete;
  FitCommandTest& operator=(const FitCommandTest&) = delete;

  void write_log(double exponent, double pattern_db = 0) {
    std::ofstream log(command_.log);
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, 1);
    log << "t,x,y,z,rssi\n";
    for (int i = 0; i < 2000; ++i) {
      const double x = 20 + std::abs(i % 800 - 400);
      const double z = 10 + 40 * std::abs(std::sin(i / 130.0));
      const double distance_m = std::hypot(x, z - 10);
      const double sine = (z - 10) / distance_m;
      log << fmt::format(
          "{},{},0,{:.3f},{:.2f}\n", i, x, z,
          16.02 - 47 - 10 * exponent * std::log10(distance_m) + pattern_db * sine * sine + normal(random));
    }
  }
  int run() { return fit_command(command_, out_, err_); }
  std::string report() const {
    std::ifstream file(command_.report);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
  FitCommand command_;
  LogColumns columns_;
  std::ostringstream out_, err_;
};

TEST_F(FitCommandTest, WritesAProfileOfTheMeasurements) {
  write_log(3.2);
  ASSERT_EQ(run(), 0) << err_.str();
  const RadioProfile profile = load_radio_profile(command_.to);
  EXPECT_EQ(profile.id, "mine");
  ASSERT_TRUE(std::holds_alternative<LogDistance>(profile.channel.path_loss));
  EXPECT_NEAR(std::get<LogDistance>(profile.channel.path_loss).exponent, 3.2, 0.1);
  EXPECT_NEAR(std::get<LogDistance>(profile.channel.path_loss).reference.value, 47, 2);
  EXPECT_NEAR(profile.channel.shadowing.los.sigma.value, 1, 0.2);
  EXPECT_THAT(profile.provenance,
              testing::Contains(testing::AllOf(testing::Field(&Provenance::key, "channel.path_loss"),
                                               testing::Field(&Provenance::tag, "measured"))));
  EXPECT_THAT(report(), HasSubstr("> log-distance"));
}

// Of the base's comparisons those that still hold, and the log's: of rows that were left out, at its distances.
TEST_F(FitCommandTest, TheProfileIsComparedWithTheLog) {
  write_log(3.2);
  ASSERT_EQ(run(), 0) << err_.str();
  const Validation validation = load_radio_profile(command_.to).validation;
  std::vector<std::string> found;
  for (const Comparison& one : validation.compared) {
    found.push_back(one.with + " " + one.quantity);
  }
  EXPECT_THAT(found,
              testing::ElementsAre("ns3 SNR at a frame loss", "closed_form airtime of a frame", "measured level"));
  EXPECT_EQ(validation.compared.back().points, 2000U);
  EXPECT_EQ(validation.compared.back().median, "0.67 dB") << "of a normal error of 1 dB";
  EXPECT_EQ(validation.compared.back().most, "1.9 dB");
  ASSERT_TRUE(validation.distance);
  EXPECT_NEAR(validation.distance->second.value, 400, 25);
  EXPECT_EQ(validation.rates, "ofdm6 to ofdm54");
}

TEST_F(FitCommandTest, PredictsTheMeasuredLevelsByTheProfile) {
  write_log(2, -14);
  ASSERT_EQ(run(), 0) << err_.str();
  const RadioProfile profile = load_radio_profile(command_.to);
  const RadioPhy& phy = profile.phy;
  const PairGeometry pair{.d2d_m = 60, .d3d_m = std::hypot(60.0, 40.0), .high_m = 50, .low_m = 10};
  const double gain = 2 * gain_in(phy.antenna, {60, 0, 40}).value + phy.tx_gain.value + phy.rx_gain.value;
  const double level =
      phy.tx_power.value + gain - path_loss(profile.channel.path_loss, pair, Carrier(phy.frequency)).value;
  EXPECT_NEAR(level, 16.02 - 47 - 20 * std::log10(pair.d3d_m) - 14 * 1600 / (pair.d3d_m * pair.d3d_m), 0.5);
}

TEST_F(FitCommandTest, HoldsOutTheLastRows) {
  write_log(3.2);
  command_.held_out = 0.5;
  command_.report.clear();
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_THAT(out_.str(),
              testing::ContainsRegex("held out: the last 1000 rows, predicted with an rms error of (0.9|1.0)"));
}

TEST_F(FitCommandTest, WritesNothingForABadLog) {
  std::ofstream(command_.log) << "t,x,y,z,rssi\n1,5,5,5,-60\n";
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("log.csv: has one level only"));
  EXPECT_FALSE(fs::exists(command_.to));
  EXPECT_FALSE(fs::exists(command_.report));
}

TEST_F(FitCommandTest, RefusesABaseThatCannotBeThisRadio) {
  std::ofstream log(command_.log);
  log << "t,x,y,z,rssi\n";
  for (int i = 0; i < 100; ++i) {
    log << fmt::format("{},{},0,10,{}\n", i, 100, -250 + i % 3);
  }
  log.close();
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("is it the right --base"));
  EXPECT_FALSE(fs::exists(command_.to));
}

/// Loss by RSSI index, in dB over noise, of links of the ORBIT grid (CRAWDAD rutgers/noise).
constexpr std::array<std::pair<double, double>, 8> kOrbitLoss = {
    {{1, 0.90}, {2, 0.70}, {3, 0.43}, {4, 0.38}, {5, 0.11}, {6, 0.08}, {7, 0.013}, {11, 0.007}}};

/// Links of 300 frames, each of one level, in free space.
MeasuredLog orbit_log(std::size_t links = 10) {
  MeasuredLog log{.rows = {}, .is_snr = true, .paths = 0};
  for (const auto& [snr_db, loss] : kOrbitLoss) {
    const PairGeometry pair = pair_between(30 * std::pow(10, (11 - snr_db) / 20), 10, 10);
    for (std::size_t link = 0; link < links; ++link, ++log.paths) {
      for (int i = 0; i < 300; ++i) {
        const bool received = std::fmod(i * 0.6180339887498949, 1.0) >= loss;
        log.rows.push_back({.pair = pair, .received = received, .path = log.paths});
        log.rows.back().level_db = received ? std::optional(snr_db) : std::nullopt;
      }
    }
  }
  return log;
}

/// A link of the profile at an SNR.
LinkReport link_at(const RadioProfile& profile, double snr_db, std::uint32_t frame_bytes = 1514) {
  const RateTable rates(profile);
  LinkQuestion question{.walls = {}, .frame_bytes = frame_bytes};
  double near = 0.1, far = 1e6;
  for (int i = 0; i < 60; ++i) {
    question.distance_m = std::sqrt(near * far);
    (report_link(profile, rates, question).snr.value > snr_db ? near : far) = question.distance_m;
  }
  return report_link(profile, rates, question);
}

TEST_F(FitCommandTest, ProfileLosesAsMeasuredInEachBin) {
  command_.base = "cc2420";
  command_.read = [] { return orbit_log(); };
  ASSERT_EQ(run(), 0) << err_.str();
  const RadioProfile profile = load_radio_profile(command_.to);
  EXPECT_EQ(profile.phy.error_model, "table");
  EXPECT_FALSE(profile.phy.sensitivity);
  for (const auto& [snr_db, loss] : kOrbitLoss) {
    const LinkReport link = link_at(profile, snr_db);
    EXPECT_NEAR(link.snr.value, snr_db, 0.01);
    EXPECT_NEAR(link.frame_error_rate, loss, 0.05) << snr_db;
    EXPECT_NEAR(link.multicast_error_rate, loss, 0.05) << snr_db;
    EXPECT_TRUE(link.reachable) << snr_db;
  }
  EXPECT_EQ(profile.validation.compared.back().quantity, "loss by level");
  EXPECT_EQ(profile.validation.rates, "oqpsk250");
  EXPECT_LT(link_at(profile, 25).frame_error_rate, 0.02);
  EXPECT_EQ(link_at(profile, 0).frame_error_rate, 1);
  EXPECT_THAT(report(), HasSubstr("reception is in the profile: mine-errors.csv has the loss of oqpsk250 by SNR, for "
                                  "frames of any length"));
}

TEST_F(FitCommandTest, LossesAfterAllTriesFollowTheTries) {
  command_.base = "cc2420";
  command_.frame_bytes = 100;
  command_.read = [] {
    MeasuredLog log{.rows = {}, .is_snr = true, .after_tries = true};
    for (int i = 0; i < 200; ++i) {
      MeasuredRow row{.pair = {.d2d_m = 10, .d3d_m = 10}, .level_db = 5 + i % 3, .tally = FrameTally{1000, 0}};
      row.tally->lost = static_cast<std::uint64_t>(300 - 100 * (i % 3));
      log.rows.push_back(row);
    }
    return log;
  };
  ASSERT_EQ(run(), 0) << err_.str();
  const RadioProfile profile = load_radio_profile(command_.to);
  EXPECT_NEAR(link_at(profile, 6, 100).delivery, 0.8, 0.01) << "after four tries";
  EXPECT_THAT(report(), HasSubstr("of one try (measured after 4, taken as independent), for frames of 100 bytes"));
}

TEST_F(FitCommandTest, OfSeveralModesOneIsNamed) {
  command_.read = [] { return orbit_log(); };
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_THAT(report(),
              HasSubstr("reception is not in the profile: wifi_11ag has several modes; name that of the log"));
  EXPECT_EQ(load_radio_profile(command_.to).phy.modes.size(), 8u);
  command_.mode = "ofdm6";
  command_.read = [] { return orbit_log(); };
  ASSERT_EQ(run(), 0) << err_.str();
  const RadioProfile profile = load_radio_profile(command_.to);
  EXPECT_EQ(profile.phy.modes.size(), 1u);
  EXPECT_NEAR(link_at(profile, 3).frame_error_rate, 0.43, 0.05);
  command_.mode = "ofdm7";
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--mode 'ofdm7' is no mode of wifi_11ag; it has "));
}

// Losses of a test without levels are put down to the base's, and come back at the distances.
TEST_F(FitCommandTest, LossesWithoutLevelsComeBackByDistance) {
  command_.base = "cc2420";
  command_.read = [] {
    MeasuredLog log{.rows = {}, .has_times = true, .after_tries = true, .frame_bytes = 100};
    for (int i = 0; i < 40; ++i) {
      const double distance_m = 40 + 2 * i;
      log.rows.push_back({.pair = pair_between(distance_m, 10, 10),
                          .tally = FrameTally{1000, static_cast<std::uint64_t>(10 * i)},
                          .rate_bps = 1e5});
    }
    return log;
  };
  ASSERT_EQ(run(), 0) << err_.str();
  const RadioProfile profile = load_radio_profile(command_.to);
  EXPECT_NEAR(report_link(profile, {.distance_m = 80, .walls = {}, .frame_bytes = 100}).delivery, 0.8, 0.05);
  EXPECT_NEAR(report_link(profile, {.distance_m = 50, .walls = {}, .frame_bytes = 100}).delivery, 0.95, 0.05);
  EXPECT_FALSE(profile.channel.shadowing.any());
  EXPECT_THAT(report(), HasSubstr("the log has no levels"));
  EXPECT_THAT(report(), HasSubstr("the profile has no shadowing"));
  EXPECT_THAT(report(), HasSubstr("traffic, tenths of 40 rows"));
  command_.held_out = 0.5;
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("leave --hold-out away"));
}

TEST_F(FitCommandTest, RefusesToReplaceItsBase) {
  write_log(3.2);
  fs::copy_file(command_.folders.front() + "/wifi_11ag.yaml", folder_ / "wifi_11ag.yaml");
  command_.base = command_.to = (folder_ / "wifi_11ag.yaml").string();
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("is the base profile; choose another name"));
  command_.to = (folder_ / "mine.txt").string();
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(err_.str(), HasSubstr("must end in .yaml"));
}

}  // namespace
}  // namespace hilgate::test

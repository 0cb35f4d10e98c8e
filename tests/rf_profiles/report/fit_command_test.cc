// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/fit_command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "config/config_file.h"
#include "rf_profiles/fit/log_reader.h"
#include "rf_profiles/profile/profile_loader.h"

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

TEST_F(FitCommandTest, WritesAProfileWithWhatWasMeasured) {
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

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/antenna_pattern.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "rf_profiles/profile/profile_antenna.h"

namespace hilgate::test {
namespace {

Vec3 at_angles(double azimuth_deg, double elevation_deg) {
  const double azimuth = azimuth_deg * M_PI / 180;
  const double elevation = elevation_deg * M_PI / 180;
  return {7 * std::cos(elevation) * std::cos(azimuth), 7 * std::cos(elevation) * std::sin(azimuth),
          7 * std::sin(elevation)};
}

TEST(AntennaPattern, AnIsotropicOneGainsNothingAnywhere) {
  EXPECT_EQ(gain_in(IsotropicPattern{}, at_angles(123, 45)), Decibels{0});
}

// 1.643 (cos(90 deg cos t) / sin t)^2 with t from the axis.
TEST(AntennaPattern, ADipoleIsAsItsFormulaHasIt) {
  const AntennaPattern dipole = DipolePattern{};
  for (const double azimuth : {0.0, 77.0, -150.0}) {
    EXPECT_NEAR(gain_in(dipole, at_angles(azimuth, 0)).value, 2.1564, 1e-3) << "abeam";
    EXPECT_NEAR(gain_in(dipole, at_angles(azimuth, 30)).value, 0.3953, 1e-3) << "sqrt(2/3) of the field at 60 degrees";
    EXPECT_NEAR(gain_in(dipole, at_angles(azimuth, 30)).value, gain_in(dipole, at_angles(azimuth, -30)).value, 1e-12);
    EXPECT_NEAR(gain_in(dipole, at_angles(azimuth, 45)).value, 10 * std::log10(1.643 * std::pow(0.62803, 2)), 1e-2);
    EXPECT_EQ(gain_in(dipole, at_angles(azimuth, 90)), kLeastGain) << "its axis is a null";
  }
}

TEST(AntennaPattern, ASectorIsThreeDecibelsDownAtItsEdgesAndHasItsFrontToBackRatio) {
  const SectorPattern sector{.peak = {8}, .width = {M_PI / 3}, .height = {M_PI / 6}, .front_to_back = {25}};
  EXPECT_NEAR(sector.gain(at_angles(0, 0)).value, 8, 1e-12);
  EXPECT_NEAR(sector.gain(at_angles(30, 0)).value, 5, 1e-9);
  EXPECT_NEAR(sector.gain(at_angles(-30, 0)).value, 5, 1e-9);
  EXPECT_NEAR(sector.gain(at_angles(0, 15)).value, 5, 1e-9);
  EXPECT_NEAR(sector.gain(at_angles(30, 15)).value, 2, 1e-9);
  EXPECT_NEAR(sector.gain(at_angles(0, 0)).value - sector.gain(at_angles(180, 0)).value, 25, 1e-12);
  EXPECT_NEAR(sector.gain(at_angles(170, 60)).value, 8 - 25, 1e-12) << "never lower than behind";
}

class AntennaTable : public testing::Test {
 protected:
  ~AntennaTable() override { std::filesystem::remove(file_); }
  TablePattern read(const std::string& text) const {
    std::ofstream(file_) << text;
    return read_antenna_csv(file_);
  }
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const std::runtime_error& error) {
      return std::string(error.what()).substr(file_.size());
    }
    return "";
  }
  const std::string file_ =
      (std::filesystem::temp_directory_path() / ("hilgate-antenna-" + std::to_string(::getpid()))).string();
};

TEST_F(AntennaTable, IsLinearBetweenItsGainsAndPeriodic) {
  const TablePattern table = read(
      "azimuth_deg,elevation_deg,gain_dbi\n"
      "-90,0,0\n0,0,10\n90,0,2\n180,0,-10\n-90,45,-3\n0,45,4\n90,45,-3\n180,45,-20\n");
  EXPECT_NEAR(table.gain(at_angles(0, 0)).value, 10, 1e-9);
  EXPECT_NEAR(table.gain(at_angles(45, 0)).value, 6, 1e-9);
  EXPECT_NEAR(table.gain(at_angles(-45, 0)).value, 5, 1e-9);
  EXPECT_NEAR(table.gain(at_angles(-135, 0)).value, -5, 1e-9) << "from 180 on to -90";
  EXPECT_NEAR(table.gain(at_angles(0, 22.5)).value, 7, 1e-9);
  EXPECT_NEAR(table.gain(at_angles(0, 80)).value, 4, 1e-9) << "beyond its elevations as at the last";
}

TEST_F(AntennaTable, ErrorsNameTheFaultOfTheTable) {
  EXPECT_EQ(complaint("angle,gain\n0,0\n"),
            ":1: the header is 'angle,gain'; it must be 'azimuth_deg,elevation_deg,gain_dbi'");
  EXPECT_EQ(complaint("azimuth_deg,elevation_deg,gain_dbi\n0,0\n"),
            ":2: '0,0' does not have the three fields azimuth_deg,elevation_deg,gain_dbi");
  EXPECT_EQ(complaint("azimuth_deg,elevation_deg,gain_dbi\n0,0,1\n90,45,2\n"),
            ": has 2 gains for 2 azimuths and 2 elevations; every pair needs one");
  EXPECT_EQ(complaint("azimuth_deg,elevation_deg,gain_dbi\n270,0,1\n"),
            ":2: '270,0,1' is out of range; allowed: azimuth -180 to 180, elevation -90 to 90, gain -200 to 60");
}

}  // namespace
}  // namespace hilgate::test

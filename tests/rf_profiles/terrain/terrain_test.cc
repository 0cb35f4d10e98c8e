// SPDX-License-Identifier: Apache-2.0
// What the models over terrain refuse, and how they behave between their reference values (tests/oracles/terrain.csv).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/config_file.h"
#include "rf_profiles/terrain/itm.h"
#include "rf_profiles/terrain/p1812.h"

namespace hilgate::test {
namespace {

TerrainProfile flat(double length_m, std::size_t heights, double height_m = 0) {
  TerrainProfile profile;
  profile.step_m = length_m / static_cast<double>(heights - 1);
  profile.height_m.assign(heights, height_m);
  return profile;
}

TerrainProfile with_hill(double height_m) {
  TerrainProfile profile = flat(20e3, 201);
  for (std::size_t i = 90; i <= 110; ++i) {
    profile.height_m[i] = height_m * (1 - std::abs(static_cast<double>(i) - 100) / 10);
  }
  return profile;
}

TerrainLink ends(double mhz) {
  return {.tx_height_m = 30, .rx_height_m = 10, .frequency = Hertz{mhz * 1e6}};
}

template <class Model>
std::string refusal(const Model& model) {
  try {
    static_cast<void>(model());
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

std::string itm_refusal(const ItmLink& link, const TerrainProfile& profile) {
  return refusal([&] { return itm_loss(link, profile); });
}

std::string p1812_refusal(const P1812Link& link, const TerrainProfile& profile) {
  return refusal([&] { return p1812_loss(link, profile); });
}

TEST(Itm, RefusesValuesOutOfItsRange) {
  const TerrainProfile ground = flat(10e3, 101);
  EXPECT_EQ(itm_refusal({.ends = ends(900)}, ground), "");
  EXPECT_EQ(itm_refusal({.ends = ends(10)}, ground), "ITM: the frequency is 10 MHz; allowed: 20 to 20000 MHz");
  ItmLink low{.ends = ends(900)};
  low.ends.tx_height_m = -1;
  EXPECT_EQ(itm_refusal(low, ground), "ITM: the height of the transmitter is -1 m; allowed: 0.5 to 3000 m");
  EXPECT_EQ(itm_refusal({.ends = ends(900), .permittivity = 0.5}, ground),
            "ITM: the permittivity is 0.5; allowed: 1 to 1000");
  EXPECT_EQ(itm_refusal({.ends = ends(900), .time = 0}, ground),
            "ITM: the percentage of time is 0 %; allowed: 0.01 to 99.99 %");
  EXPECT_EQ(itm_refusal({.ends = ends(900), .refractivity = std::nan("")}, ground),
            "ITM: the refractivity is nan N-units; allowed: 250 to 400 N-units");
  EXPECT_EQ(itm_refusal({.ends = ends(900)}, flat(500, 11)),
            "ITM: the length of the path is 0.5 km; allowed: 1 to 2000 km");
}

TEST(Itm, RefusesInvalidTerrain) {
  EXPECT_EQ(itm_refusal({.ends = ends(900)}, flat(5e3, 2)), "ITM: the terrain profile has 2 heights; at least 3");
  EXPECT_EQ(itm_refusal({.ends = ends(900)}, {}), "ITM: the terrain profile has 0 heights; at least 3");
  TerrainProfile abyss = flat(5e3, 11);
  abyss.height_m[4] = -11'000;
  EXPECT_EQ(itm_refusal({.ends = ends(900)}, abyss),
            "ITM: the height of the ground is -11000 m; allowed: -500 to 9000 m");
  TerrainProfile still = flat(5e3, 11);
  still.step_m = 0;
  EXPECT_EQ(itm_refusal({.ends = ends(900)}, still), "ITM: the step of the terrain profile is 0 m; it must be above 0");
  TerrainProfile covered = flat(5e3, 11);
  covered.cover_m = {1, 2};
  EXPECT_THAT(itm_refusal({.ends = ends(900)}, covered), testing::HasSubstr("11 heights and 2 covers and 0 zones"));
}

TEST(Itm, GroundThatConductsTooWellIsNamed) {
  ItmLink metal{.ends = ends(20), .permittivity = 1, .conductivity = 5};
  metal.ends.polarization = Polarization::kHorizontal;
  EXPECT_THAT(itm_refusal(metal, flat(10e3, 101)), testing::HasSubstr("the ground conducts too well"));
}

TEST(Itm, HillsBetweenTheEndsCostMore) {
  const ItmLink link{.ends = ends(900)};
  const double none = itm_loss(link, with_hill(0)).value;
  const double low = itm_loss(link, with_hill(150)).value;
  const double high = itm_loss(link, with_hill(600)).value;
  EXPECT_GT(low, none + 10);
  EXPECT_GT(high, low + 5);
}

TEST(Itm, EndsMayBeExchanged) {
  TerrainProfile there = with_hill(300);
  there.height_m[30] = 40;
  TerrainProfile back = there;
  std::reverse(back.height_m.begin(), back.height_m.end());
  ItmLink link{.ends = ends(450)};
  const double loss = itm_loss(link, there).value;
  std::swap(link.ends.tx_height_m, link.ends.rx_height_m);
  EXPECT_NEAR(itm_loss(link, back).value, loss, 1e-6);
}

TEST(Itm, MoreTimeAndPlacesCostMore) {
  ItmLink link{.ends = ends(900)};
  const ItmArea area{.distance_m = 30e3, .roughness_m = 90};
  const double half = itm_area_loss(link, area).value;
  link.time = 99;
  EXPECT_GT(itm_area_loss(link, area).value, half + 1);
  link.location = 90;
  EXPECT_GT(itm_area_loss(link, area).value, half + 5);
}

TEST(P1812, RefusesValuesOutOfItsRange) {
  const TerrainProfile ground = flat(10e3, 101);
  EXPECT_EQ(p1812_refusal({.ends = ends(900)}, ground), "");
  EXPECT_EQ(p1812_refusal({.ends = ends(6100)}, ground), "P.1812: the frequency is 6100 MHz; allowed: 30 to 6000 MHz");
  EXPECT_EQ(p1812_refusal({.ends = ends(900), .time = 60}, ground),
            "P.1812: the percentage of time is 60 %; allowed: 1 to 50 %");
  EXPECT_EQ(p1812_refusal({.ends = ends(900)}, flat(5e3, 3)), "P.1812: the terrain profile has 3 heights; at least 4");
  EXPECT_EQ(p1812_refusal({.ends = ends(900)}, flat(200, 21)),
            "P.1812: the length of the path is 0.2 km; allowed: 0.25 to 3000 km");
  P1812Link low{.ends = ends(900)};
  low.ends.rx_height_m = -2;
  EXPECT_EQ(p1812_refusal(low, ground), "P.1812: the height of the receiver is -2 m; allowed: 1 to 3000 m");
}

TEST(P1812, HillsAndCoverCostMore) {
  const P1812Link link{.ends = ends(900)};
  const double none = p1812_loss(link, with_hill(0)).value;
  EXPECT_GT(p1812_loss(link, with_hill(150)).value, none + 10);
  TerrainProfile wooded = with_hill(0);
  wooded.cover_m.assign(wooded.height_m.size(), 25);
  EXPECT_GT(p1812_loss(link, wooded).value, none + 3);
}

TEST(P1812, SightOverAShortPathIsFreeSpace) {
  P1812Link link{.ends = ends(2400)};
  link.ends.tx_height_m = link.ends.rx_height_m = 200;
  const double free_db = 92.4 + 20 * std::log10(2.4) + 20 * std::log10(2.0);
  EXPECT_NEAR(p1812_loss(link, flat(2e3, 51)).value, free_db, 0.01);
}

TEST(P1812, PlacesSpreadTheLossOverLandAlone) {
  P1812Link link{.ends = ends(900)};
  TerrainProfile profile = with_hill(150);
  const double half = p1812_loss(link, profile).value;
  link.location = 90;
  link.location_spread = {5.5};
  EXPECT_NEAR(p1812_loss(link, profile).value - half, 1.2816 * 5.5, 0.01);
  profile.zone.assign(profile.height_m.size(), TerrainZone::kInland);
  profile.zone.back() = TerrainZone::kSea;
  EXPECT_NEAR(p1812_loss(link, profile).value, half, 0.5);
}

TEST(P1812, RareTimesLoseLessOverTheSea) {
  P1812Link link{.ends = ends(900)};
  link.time = 1;
  TerrainProfile path = flat(150e3, 301);
  const double land = p1812_loss(link, path).value;
  path.zone.assign(path.height_m.size(), TerrainZone::kSea);
  EXPECT_LT(p1812_loss(link, path).value, land - 5);
}

class ProfileFile : public testing::Test {
 protected:
  ~ProfileFile() override { std::filesystem::remove(file_); }
  std::string refusal_of(const std::string& text) {
    std::ofstream(file_) << text;
    return refusal([&] { return read_terrain_profile(file_); });
  }
  std::string file_ = std::filesystem::temp_directory_path() / ("hgt-terrain-" + std::to_string(getpid()) + ".csv");
};

TEST_F(ProfileFile, HasHeightsCoversAndZones) {
  EXPECT_EQ(refusal_of("# heights of a hill\nheight_m,distance_m,zone,cover_m\r\n-3,0,sea,0\r\n5.5,50,coast,2\n"
                       "9,100,inland,10\n"),
            "");
  const TerrainProfile profile = read_terrain_profile(file_);
  EXPECT_EQ(profile.step_m, 50);
  EXPECT_EQ(profile.length_m(), 100);
  EXPECT_THAT(profile.height_m, testing::ElementsAre(-3, 5.5, 9));
  EXPECT_THAT(profile.cover_m, testing::ElementsAre(0, 2, 10));
  EXPECT_THAT(profile.zone, testing::ElementsAre(TerrainZone::kSea, TerrainZone::kCoast, TerrainZone::kInland));
}

TEST_F(ProfileFile, NamesEachFaultWithItsLine) {
  EXPECT_EQ(refusal_of("distance_m,height_m\n0,1\n10,x\n20,-900\n30\n"),
            file_ + ":3: height_m: 'x' is not a number\n" + file_ +
                ":4: height_m: -900 is out of range; allowed: -500 to 9000 m\n" + file_ +
                ":5: has 1 fields; the header has 2");
  EXPECT_EQ(refusal_of("distance_m,height\n0,1\n10,2\n"),
            file_ + ":1: the column 'height' is unknown; did you mean 'height_m'?\n" + file_ +
                ":1: the header needs one column 'height_m'; example: distance_m,height_m");
  EXPECT_EQ(refusal_of("distance_m,height_m,zone\n0,1,lake\n10,1,sea\n"),
            file_ + ":2: zone: 'lake' is unknown; allowed: sea, coast, inland");
}

TEST_F(ProfileFile, StepsAreEqual) {
  EXPECT_EQ(refusal_of("distance_m,height_m\n0,1\n10,2\n25,2\n30,1\n"),
            file_ + ":4: distance_m: 25; with 4 heights at equal steps over 30 m it must be 20");
  EXPECT_THAT(refusal_of("distance_m,height_m\n5,1\n15,2\n25,2\n"), testing::HasSubstr(":2: distance_m: 5; with"));
  EXPECT_EQ(refusal_of("distance_m,height_m\n0,1\n0,1\n"),
            file_ + ":3: distance_m: the path ends at 0 m; distances rise from 0");
}

TEST_F(ProfileFile, NeedsTwoHeights) {
  EXPECT_EQ(refusal_of("distance_m,height_m\n0,1\n"), file_ + ":2: has 1 heights; at least 2");
  EXPECT_EQ(refusal_of(""), file_ + ": has 0 heights; at least 2");
  EXPECT_THAT(refusal([] { return read_terrain_profile("/nonexistent.csv"); }),
              testing::HasSubstr("/nonexistent.csv: cannot be read: No such file"));
}

}  // namespace
}  // namespace hilgate::test

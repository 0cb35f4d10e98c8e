// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/surveyed_floors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "config/config_file.h"
#include "rf_profiles/survey/survey_command.h"
#include "tests/rf_profiles/survey/map_fixture.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

// Cells of 1 m. Walls: below at x = 4 and 8, in the middle at x = 8, above none.
const std::vector<std::string> kGround{"....#...#...", "....#...#..."};
const std::vector<std::string> kMiddle{"........#...", "........#..."};
const std::vector<std::string> kTop{"............", "............"};

std::shared_ptr<const Survey> survey_of(const MapFolder& folder, const std::string& name,
                                        const std::vector<std::string>& rows) {
  const GridMap map = drawn_map(rows);
  const std::string file = (folder.path / name).string();
  SurveyWork work(map, file, {.rays = 90, .block = 2});
  for (std::uint64_t unit = 0; unit < work.units(); ++unit) {
    work.work(unit);
  }
  return std::make_shared<const Survey>(map, file);
}

SurveyedFloors three_floors(const MapFolder& folder) {
  return SurveyedFloors({{survey_of(folder, "ground", kGround), 0},
                         {survey_of(folder, "middle", kMiddle), 3},
                         {survey_of(folder, "top", kTop), 6}},
                        15);
}

TEST(SurveyedFloors, ARobotIsOnTheHighestFloorBelowIt) {
  const MapFolder folder;
  const SurveyedFloors floors = three_floors(folder);
  EXPECT_EQ(floors.place_at(0.5, 0.5, -1)->floor, 0u);
  EXPECT_EQ(floors.place_at(0.5, 0.5, 2.9)->floor, 0u);
  EXPECT_EQ(floors.place_at(0.5, 0.5, 3)->floor, 1u);
  EXPECT_EQ(floors.place_at(0.5, 0.5, 100)->floor, 2u);
  EXPECT_FALSE(floors.place_at(-0.5, 0.5, 1));
  EXPECT_NE(floors.number(*floors.place_at(0.5, 0.5, 1)), floors.number(*floors.place_at(0.5, 0.5, 4)));
}

// By hand: a wall takes 6 dB, a floor 15 dB.
TEST(SurveyedFloors, WallsOfEachFloorsPartOfTheWayAndEveryFloorTakeTheirShare) {
  const MapFolder folder;
  const SurveyedFloors floors = three_floors(folder);
  const auto loss = [&](double x, double z, double to_x, double to_z) {
    const FloorPlace a = *floors.place_at(x, 0.5, z);
    const FloorPlace b = *floors.place_at(to_x, 0.5, to_z);
    EXPECT_EQ(floors.loss_db(a, b), floors.loss_db(b, a));
    return floors.loss_db(a, b);
  };
  EXPECT_EQ(loss(1.5, 1, 11.5, 1), 12) << "two walls";
  EXPECT_EQ(loss(1.5, 1, 1.5, 4), 15) << "straight up";
  EXPECT_EQ(loss(1.5, 1, 1.5, 7), 30) << "two floors";
  EXPECT_EQ(loss(1.5, 1, 11.5, 4), 15 + 6 + 6) << "x = 4 below, and from x = 6.5 on above: x = 8";
  EXPECT_EQ(loss(1.5, 4, 11.5, 1), 15 + 6) << "above as far as x = 6.5, where no wall is; x = 8 below";
  EXPECT_EQ(loss(3.5, 1, 11.5, 7), 30 + 6 + 6) << "below to x = 5.5, in the middle to x = 9.5, above the rest";
}

TEST(SurveyedFloors, MultipathIsThatOfTheReceiversFloor) {
  const MapFolder folder;
  const SurveyedFloors floors = three_floors(folder);
  const ShapeEntry below = floors.shape_entry(*floors.place_at(6.5, 0.5, 1), *floors.place_at(1.5, 0.5, 4));
  const ShapeEntry same = floors.shape_entry(*floors.place_at(6.5, 0.5, 1), *floors.place_at(1.5, 0.5, 1));
  EXPECT_EQ(below.spread, same.spread);
  EXPECT_EQ(below.direct_share, same.direct_share);
  const ShapeEntry top = floors.shape_entry(*floors.place_at(6.5, 0.5, 7), *floors.place_at(1.5, 0.5, 1));
  EXPECT_EQ(top.direct_share, 255) << "nothing reflects there";
}

TEST(SurveyedFloors, AreReadFromAFileAndSurveyedTogether) {
  const MapFolder folder;
  folder.write("plan.pgm", "P2\n3 1\n255\n255 0 255\n");
  folder.write("plan.yaml",
               "image: plan.pgm\ncell: 1 m\norigin: [0m, 0m]\nlegend:\n  - {colour: \"#ffffff\", name: free}\n"
               "  - {colour: \"#000000\", name: brick, loss: 6 dB, permittivity: 4.44}\n");
  const std::string file = folder.write(
      "house.yaml", "slab: 15 dB\nfloors:\n  - {map: plan.yaml, from: 0m}\n  - {map: plan.yaml, from: 3m}\n");
  EXPECT_EQ(maps_of(file).size(), 1u) << "one map for both";
  std::ostringstream out;
  std::ostringstream err;
  ASSERT_EQ(survey_command({.map = file, .output = {}, .threads = 1, .block = 1, .rays = 90}, out, err), 0)
      << err.str();
  const auto floors = open_floors(file);
  EXPECT_EQ(floors->loss_db(*floors->place_at(0.5, 0.5, 1), *floors->place_at(0.5, 0.5, 4)), 15);
  EXPECT_EQ(floors->loss_db(*floors->place_at(0.5, 0.5, 1), *floors->place_at(2.5, 0.5, 1)), 6);
  const std::string two = folder.write(
      "two.yaml", "slab: 15 dB\nfloors:\n  - {map: plan.yaml, from: 0m}\n  - {map: other.yaml, from: 3m}\n");
  EXPECT_EQ(survey_command({.map = two, .output = "elsewhere", .threads = 1}, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("several maps"));
}

TEST(SurveyedFloors, FaultsAreNamed) {
  const MapFolder folder;
  const std::string file =
      folder.write("house.yaml", "slab: 15 dB\nfloors:\n  - {map: a.yaml, from: 3m}\n  - {map: b.yaml, from: 0m}\n");
  try {
    static_cast<void>(open_floors(file));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("from below"));
  }
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <sstream>

#include "rf_profiles/survey/survey_command.h"
#include "tests/rf_profiles/survey/map_fixture.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kRooms{"##############", "#.....#......#", "#.....#......#", "#............#",
                                      "#.....#......#", "###.#####.####", "#............#", "##############"};

std::string survey(const GridMap& map, const MapFolder& folder, std::uint64_t stop_after = ~std::uint64_t{0}) {
  const std::string file = (folder.path / "rooms.survey").string();
  SurveyWork work(map, file, {.rays = 90, .block = 2});
  for (std::uint64_t unit = 0; unit < std::min(work.units(), stop_after); ++unit) {
    if (!work.done(unit)) {
      work.work(unit);
    }
  }
  work.finish();
  return file;
}

std::string opening(const GridMap& map, const std::string& file) {
  try {
    const Survey opened(map, file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Survey, AnswersAsTheRaysDo) {
  const MapFolder folder;
  const GridMap map = drawn_map(kRooms);
  const Survey rooms(map, survey(map, folder));
  const WallWalker walker(map);
  for (std::uint32_t a = 0; a < map.cell_count(); a += 3) {
    for (std::uint32_t b = 0; b < map.cell_count(); b += 5) {
      EXPECT_EQ(rooms.walls_db(map.cell(a), map.cell(b)), WallWalker::kUnitDb * walker.between(a, b));
    }
  }
  const auto arrivals = trace_from(map, 3 * 7 + 1, {.rays = 90, .block = 2});  // from the block of cell (2, 6)
  const LocalShape kept = rooms.shape({10, 4}, {2, 6});
  const ShapeFactors shape = shape_factors(arrivals[2 * 7 + 5].moments);
  EXPECT_NEAR(kept.shape.spread, shape.spread, 1.0 / 255);
  EXPECT_NEAR(kept.shape.constriction, shape.constriction, 1.0 / 255);
  EXPECT_NEAR(std::cos(2 * (kept.shape.azimuth_rad - shape.azimuth_rad)), 1, 1e-3);
  EXPECT_NEAR(kept.direct_share, arrivals[2 * 7 + 5].direct_share(), 1.0 / 255);
}

TEST(Survey, ContinuesWhereItWasStopped) {
  const MapFolder folder;
  const GridMap map = drawn_map(kRooms);
  const std::string file = survey(map, folder, 50);
  EXPECT_THAT(opening(map, file), HasSubstr("incomplete, 90 of 140 units are missing"));
  {
    const SurveyWork work(map, file, {.rays = 90, .block = 2});
    EXPECT_TRUE(work.done(49));
    EXPECT_FALSE(work.done(50));
  }
  survey(map, folder);
  EXPECT_EQ(opening(map, file), "");
}

TEST(Survey, OfAnotherMapVersionOrSizeIsNotOpened) {
  const MapFolder folder;
  GridMap map = drawn_map(kRooms);
  const std::string file = survey(map, folder);
  const auto spoiled = [&](std::size_t at, char byte) {
    std::ostringstream all;
    all << std::ifstream(file, std::ios::binary).rdbuf();
    std::string bytes = all.str();
    bytes[at] = byte;
    return opening(map, folder.write("spoiled.survey", bytes));
  };
  EXPECT_THAT(spoiled(0, 'x'), HasSubstr("is not a survey"));
  EXPECT_THAT(spoiled(8, 9), HasSubstr("has version 9; version 1 is supported"));
  EXPECT_THAT(spoiled(12, 0), HasSubstr("bytes long; its header says"));
  EXPECT_THAT(opening(map, folder.write("short.survey", "hg")), HasSubstr("is not a survey"));
  EXPECT_THAT(opening(map, folder.write("empty.survey", "")), HasSubstr("cannot map"));
  EXPECT_THAT(opening(map, (folder.path / "none.survey").string()), HasSubstr("cannot be opened: No such file"));
  map.cells[20] = 1;
  EXPECT_THAT(opening(map, file), HasSubstr("belongs to another map (14 x 8 cells"));
  EXPECT_THROW(SurveyWork(map, file, {.rays = 90, .block = 2}), std::runtime_error);
  EXPECT_THROW(SurveyWork(drawn_map(kRooms), file, {.rays = 91, .block = 2}), std::runtime_error);
}

// Of a length that says it has no blocks, behind which every query would look.
TEST(Survey, ABlockOfMoreCellsThanNumbersCountIsOneBlock) {
  EXPECT_EQ(blocks_along(14, 0xFFFF'FFFF), 1U);
  EXPECT_EQ(blocks_along(14, 14), 1U);
  EXPECT_EQ(blocks_along(14, 13), 2U);
  const MapFolder folder;
  const GridMap map = drawn_map(kRooms);
  std::ostringstream all;
  all << std::ifstream(survey(map, folder), std::ios::binary).rdbuf();
  std::string bytes = all.str();
  const std::uint64_t without_blocks = SurveyLayout(map.width, map.height, 2).shapes_at;
  const std::uint32_t block = 0xFFFF'FFFF;
  bytes.resize(without_blocks);
  std::memcpy(bytes.data() + offsetof(SurveyHeader, block), &block, sizeof block);
  std::memcpy(bytes.data() + offsetof(SurveyHeader, file_bytes), &without_blocks, sizeof without_blocks);
  EXPECT_THAT(opening(map, folder.write("blocks.survey", bytes)), HasSubstr("bytes long; its header says"));
}

TEST(SurveyCommand, MakesTheSameSurveyOnAnyNumberOfThreads) {
  const MapFolder folder;
  std::string plan = "P2 14 8 255\n";
  for (const std::string& row : kRooms) {
    for (const char cell : row) {
      plan += cell == '#' ? "0 " : "255 ";
    }
  }
  folder.write("plan.pgm", plan);
  const std::string map = folder.write("plan.yaml",
                                       "image: plan.pgm\ncell: 1 m\norigin: [0m, 0m]\nlegend:\n"
                                       "  - {colour: \"#ffffff\", name: free}\n"
                                       "  - {colour: \"#000000\", name: brick, loss: 6 dB, permittivity: 4.44}\n");
  const auto bytes_with = [&](unsigned threads) {
    const std::string file = (folder.path / ("by-" + std::to_string(threads))).string();
    std::ostringstream out;
    std::ostringstream err;
    SurveyCommand command{.map = map, .output = file, .threads = threads, .block = 2, .rays = 90};
    EXPECT_EQ(survey_command(command, out, err), 0) << err.str();
    EXPECT_THAT(out.str(), HasSubstr("140 of 140 units to do"));
    EXPECT_THAT(out.str(), HasSubstr("100.0 %"));
    std::ostringstream again;
    EXPECT_EQ(survey_command(command, again, err), 0);
    EXPECT_THAT(again.str(), HasSubstr("0 of 140 units to do"));
    std::ostringstream all;
    all << std::ifstream(file, std::ios::binary).rdbuf();
    return all.str();
  };
  EXPECT_EQ(bytes_with(1), bytes_with(3));
}

TEST(Survey, MissingSurveyNamesTheCommand) {
  const MapFolder folder;
  folder.write("plan.pgm", "P2 1 1 255\n255\n");
  const std::string map = folder.write(
      "plan.yaml", "image: plan.pgm\ncell: 1 m\norigin: [0m, 0m]\nlegend: [{colour: \"#ffffff\", name: free}]\n");
  try {
    open_survey(map);
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("plan.survey: cannot be opened"));
    EXPECT_THAT(error.what(), HasSubstr("run `hilgate survey " + map + "`"));
  }
}

TEST(SurveyCommand, ErrorsNameTheFault) {
  std::ostringstream out;
  std::ostringstream err;
  SurveyCommand command;
  command.map = "/nonexistent.yaml";
  EXPECT_EQ(survey_command(command, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("/nonexistent.yaml"));
}

}  // namespace
}  // namespace hilgate::test

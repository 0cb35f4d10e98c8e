// SPDX-License-Identifier: Apache-2.0
// The figures and the survey of the Shell-Mataric example against golden data. Of its map every fourth cell is taken,
// so that the survey is a matter of seconds: other figures than the example's own, from the same code.
#include <gtest/gtest.h>

#include "examples/shell-mataric/figures.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/survey/survey.h"
#include "tests/rf_profiles/golden.h"
#include "tests/rf_profiles/survey/map_fixture.h"

namespace hilgate::test {
namespace {

const std::string kExample = HILGATE_SOURCE_DIR "/examples/shell-mataric/";
const std::string kGolden = HILGATE_SOURCE_DIR "/tests/rf_profiles/golden/";

GridMap coarse(const GridMap& fine) {
  constexpr std::uint32_t kEvery = 4;
  GridMap map = fine;
  map.width = fine.width / kEvery;
  map.height = fine.height / kEvery;
  map.cell_m = fine.cell_m * kEvery;
  map.cells.clear();
  for (std::uint32_t y = 0; y < map.height; ++y) {
    for (std::uint32_t x = 0; x < map.width; ++x) {
      map.cells.push_back(fine.cells[fine.index({x * kEvery, y * kEvery})]);
    }
  }
  return map;
}

std::shared_ptr<const Survey> survey_of(const GridMap& map, const MapFolder& folder) {
  const std::string file = (folder.path / "building.survey").string();
  SurveyWork work(map, file, {.rays = 90, .block = 5});
  for (std::uint64_t unit = 0; unit < work.units(); ++unit) {
    work.work(unit);
  }
  return std::make_shared<const Survey>(map, file);
}

/// Every so many rows.
GoldenTable table_of(const Figure& figure, std::size_t every) {
  GoldenTable table;
  for (std::size_t row = 0; row < figure.rows.size(); row += every) {
    for (std::size_t column = 0; column < figure.columns.size(); ++column) {
      table[figure.columns[column]].push_back(figure.rows[row][column]);
    }
  }
  return table;
}

TEST(Building, FiguresAndSurveyAreAsTheGoldenData) {
  const MapFolder folder;
  const GridMap map = coarse(load_grid_map(kExample + "building.yaml"));
  const auto survey = survey_of(map, folder);
  const RadioProfile radio = load_radio_profile(kExample + "radios/mica2_building.yaml");
  GoldenTables tables;
  for (const Figure& figure : building_figures(map, radio)) {
    ASSERT_FALSE(figure.rows.empty()) << figure.name;
    ASSERT_EQ(figure.columns.size(), figure.decimals.size()) << figure.name;
    tables[figure.name] = table_of(figure, figure.rows.size() / 60 + 1);
  }
  // A level, a rate: what one step of the kept shapes' last digit, as another C library may round it, does to them.
  expect_golden(kGolden + "building.json", tables, 0.02, 1e-4);
  GoldenTables kept;
  GoldenTable& known = kept["survey"];
  for (std::uint32_t i = 0; i < 200; ++i) {  // pairs all over the map
    const GridCell a = map.cell(i * 7919 % map.cell_count());
    const GridCell b = map.cell(i * 104'729 % map.cell_count());
    const ShapeEntry shape = survey->shape_entry(a, b);
    known["walls_db"].push_back(survey->walls_db(a, b));
    known["spread"].push_back(shape.spread);
    known["constriction"].push_back(shape.constriction);
    known["azimuth"].push_back(shape.azimuth);
    known["direct_share"].push_back(shape.direct_share);
  }
  expect_golden(kGolden + "survey.json", kept, 1, 0);  // in steps of what is kept
}

}  // namespace
}  // namespace hilgate::test

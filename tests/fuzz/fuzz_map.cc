// SPDX-License-Identifier: Apache-2.0
// Floor plans: pictures (PGM, PNG), their legends in YAML, floors, and surveys, of which the rest of the input changes
// a good one.
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "config/config_file.h"
#include "rf_profiles/survey/grid_map.h"
#include "rf_profiles/survey/survey.h"
#include "rf_profiles/survey/surveyed_floors.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

// 8 x 4 cells with a wall.
GridMap small_map() {
  GridMap map{.width = 8, .height = 4};
  map.materials = {{.name = "free"}, {.name = "brick", .loss_db = 6, .wall = true, .permittivity = 4.4}};
  map.cells.resize(map.cell_count());
  for (std::uint32_t y = 0; y < 3; ++y) {
    map.cells[map.index({4, y})] = 1;
  }
  return map;
}

std::string good_survey() {
  const std::string file = scratch_file("good.survey", "");
  std::filesystem::remove(file);
  const GridMap map = small_map();
  {
    SurveyWork work(map, file, {});
    for (std::uint64_t unit = 0; unit < work.units(); ++unit) {
      work.work(unit);
    }
  }
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// How many bytes are cut off, and each change: where, in two bytes, and what.
void read_survey(FuzzInput& input) {
  static const std::string good = good_survey();
  static const GridMap map = small_map();
  std::string bytes = good.substr(0, good.size() - input.byte());
  while (!input.empty()) {
    const std::uint32_t at = input.number(static_cast<std::uint32_t>(bytes.size()));
    bytes[at] = static_cast<char>(input.byte());
  }
  const Survey survey(map, scratch_file("changed.survey", bytes));
  for (std::uint32_t a = 0; a < map.cell_count(); ++a) {
    for (std::uint32_t b = 0; b < map.cell_count(); b += 3) {
      require(std::isfinite(survey.walls_db(map.cell(a), map.cell(b))), "walls have a loss");
      (void)survey.shape(map.cell(a), map.cell(b));
    }
  }
}

// The legend's length in two bytes, the legend, and its picture, which it calls `picture`.
void read_map(FuzzInput& input) {
  const std::uint32_t length = input.number(65536);
  const std::string legend = scratch_file("map.yaml", input.text(length));
  scratch_file("picture", input.rest());
  const GridMap map = load_grid_map(legend);
  require(map.cells.size() == map.cell_count(), "each cell is there");
  for (const std::uint8_t cell : map.cells) {
    require(cell < map.materials.size(), "each cell is of a material");
  }
  (void)map.cell_at(1e300, -1e300);
  (void)map.hash();
}

// Floors, whose maps are not there, and what a record would keep of them.
void read_floors(FuzzInput& input) {
  const std::string file = scratch_file("floors.yaml", input.rest());
  (void)map_references(file);
  require(!maps_of(file).empty(), "a building has a map");
}

void read_picture(FuzzInput& input) {
  static MemoryFile file;
  const MapImage image = read_map_image(file.with(input.rest()));
  require(image.pixels.size() == std::size_t{image.width} * image.height, "each pixel is there");
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate::test;
  FuzzInput input(data, size);
  try {
    switch (input.byte() % 4) {
      case 0:
        read_survey(input);
        break;
      case 1:
        read_map(input);
        break;
      case 3:
        read_floors(input);
        break;
      default:
        read_picture(input);
    }
  } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): refused
  }
  return 0;
}

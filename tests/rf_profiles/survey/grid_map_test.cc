// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/grid_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include "config/config_file.h"
#include "tests/rf_profiles/survey/map_fixture.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kYaml =
    "image: plan.pgm\n"
    "cell: 0.5 m\n"
    "origin: [-1m, 2m]\n"
    "legend:\n"
    "  - {colour: \"#ffffff\", name: free}\n"
    "  - {colour: \"#000000\", name: brick, loss: 6 dB, permittivity: 4.44}\n"
    "  - {colour: \"#808080\", name: curtain, loss: 1 dB, permittivity: 1, per: cell}\n";
constexpr const char* kPlan = "P2\n# three by two\n3 2\n255\n255 0 128\n255 255 0\n";

std::string faults_of(const std::string& file) {
  try {
    load_grid_map(file);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(GridMap, IsReadFromItsPictureSouthernRowFirst) {
  const MapFolder folder;
  folder.write("plan.pgm", kPlan);
  const GridMap map = load_grid_map(folder.write("plan.yaml", kYaml));
  EXPECT_EQ(map.width, 3u);
  EXPECT_EQ(map.height, 2u);
  EXPECT_THAT(map.cells, ElementsAre(0, 0, 1, 0, 1, 2));
  EXPECT_EQ(map.at({1, 1}).name, "brick");
  EXPECT_TRUE(map.at({2, 1}).per_cell);
  EXPECT_FALSE(map.at({0, 0}).wall);
}

TEST(GridMap, FindsTheCellAtAPlaceAndTheOutside) {
  const MapFolder folder;
  folder.write("plan.pgm", kPlan);
  const GridMap map = load_grid_map(folder.write("plan.yaml", kYaml));
  EXPECT_EQ(map.cell_at(-1, 2), (GridCell{0, 0}));
  EXPECT_EQ(map.cell_at(0.49, 2.99), (GridCell{2, 1}));
  EXPECT_FALSE(map.cell_at(0.5, 2));
  EXPECT_FALSE(map.cell_at(-1.01, 2));
  EXPECT_FALSE(map.cell_at(std::nan(""), 2));
}

TEST(GridMap, HashCoversTheInputsOfTheSurveyAndNotNames) {
  const GridMap map = drawn_map({"..#", "#.."});
  GridMap other = map;
  other.materials[1].name = "stone";
  other.materials[1].colour = 0x123456;
  other.origin_x_m = 5;
  EXPECT_EQ(other.hash(), map.hash());
  other.materials[1].loss_db = 7;
  EXPECT_NE(other.hash(), map.hash());
  other = map;
  other.cells[0] = 0;
  EXPECT_NE(other.hash(), map.hash());
}

TEST(GridMap, NamesTheFaultOfItsFile) {
  const MapFolder folder;
  folder.write("plan.pgm", kPlan);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = kYaml;
    text.replace(text.find(from), from.size(), to);
    return faults_of(folder.write("plan.yaml", text));
  };
  EXPECT_THAT(with("#808080", "#808081"), HasSubstr("plan.yaml:4: legend: misses the colour '#808080'"));
  EXPECT_THAT(with("#808080", "#000000"), HasSubstr("'#000000' is in the legend already"));
  EXPECT_THAT(with("#808080", "grey"), HasSubstr("'grey' is not a colour; example: \"#000000\""));
  EXPECT_THAT(with("loss: 6 dB", "loss: 600 dB"), HasSubstr("600 is out of range; allowed: 0 to 100"));
  EXPECT_THAT(with("cell: 0.5 m", "cell: 0 m"), HasSubstr("cell: 0 is out of range"));
  EXPECT_THAT(with("[-1m, 2m]", "[-1m]"), HasSubstr("origin: needs x and y"));
  EXPECT_THAT(with("plan.pgm", "nothing.pgm"), HasSubstr("cannot be read: No such file"));
  EXPECT_THAT(with("per: cell", "pro: cell"), HasSubstr("unknown key 'pro'"));
}

TEST(MapImage, ReadsBinaryPgmAndPng) {
  const MapFolder folder;
  const MapImage grey = read_map_image(folder.write("a.pgm", std::string("P5 2 1 255\n\x00\xFF", 13)));
  EXPECT_THAT(grey.pixels, ElementsAre(0x000000u, 0xFFFFFFu));
  const std::uint8_t rgb[] = {0x12, 0x34, 0x56, 0xFF, 0x00, 0x80};
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = 1;
  png.height = 2;
  png.format = PNG_FORMAT_RGB;
  const std::string file = (folder.path / "a.png").string();
  ASSERT_NE(png_image_write_to_file(&png, file.c_str(), 0, rgb, 0, nullptr), 0);
  EXPECT_THAT(read_map_image(file).pixels, ElementsAre(0x123456u, 0xFF0080u));
}

TEST(MapImage, RejectsBrokenPictures) {
  const MapFolder folder;
  const auto reading = [&](const std::string& bytes) {
    const std::string file = folder.write("broken", bytes);
    try {
      read_map_image(file);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(reading("GIF89a"), HasSubstr("neither a PGM"));
  EXPECT_THAT(reading("P5 2 2 255\nab"), HasSubstr("ends before its last pixel"));
  EXPECT_THAT(reading("P2 0 2 255\n"), HasSubstr("0 x 2 pixels; allowed: 1 to 4096"));
  EXPECT_THAT(reading("P2 99999 2 255\n"), HasSubstr("99999 x 2 pixels"));
  EXPECT_THAT(reading("P2 2 x 255\n"), HasSubstr("is not a number"));
  EXPECT_THAT(reading("P2 1 1 65535\n1"), HasSubstr("grey levels up to 65535"));
  EXPECT_THAT(reading("P2 1 1 255\n256"), HasSubstr("pixel 0 of the PGM file is 256"));
  EXPECT_THAT(reading("\x89PNG and no more"), HasSubstr("invalid PNG file"));
}

}  // namespace
}  // namespace hilgate::test

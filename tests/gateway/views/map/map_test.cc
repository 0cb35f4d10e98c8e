// SPDX-License-Identifier: Apache-2.0
// Pictures of scenes: what their cells say, against the radio model; what is drawn; what cannot be.
#include "gateway/views/map/map.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "gateway/views/map/scene_picture.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/report/link_report.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

std::shared_ptr<const RadioProfile> radio(const std::string& name) {
  return std::make_shared<const RadioProfile>(
      load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + name + ".yaml"));
}

CoverageQuestion question_of(const std::string& name) {
  CoverageQuestion question{.sender = radio(name), .from = Pose{{0, 0, 4}, {}, false}, .height_m = 1};
  question.receiver = question.sender;
  return question;
}

/// What `hilgate radio link` says of the same place.
LinkReport report_at(const CoverageQuestion& question, const Vec3& place, const std::vector<Wall>& walls) {
  return report_link(*question.sender, {.distance_m = std::hypot(place.x, place.y),
                                        .height_m = question.from.position.z,
                                        .other_height_m = question.height_m,
                                        .walls = walls});
}

class Coverage : public testing::TestWithParam<const char*> {};

TEST_P(Coverage, CellsEqualTheRadioModel) {
  const CoverageQuestion question = question_of(GetParam());
  const CellGrid grid{.west_m = -10, .south_m = -3000, .cell_m = 300, .columns = 2, .rows = 20};
  const std::vector<CoverageCell> cells = coverage_of(question, grid);
  ASSERT_EQ(cells.size(), grid.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const LinkReport report = report_at(question, grid.middle(i, question.height_m), {});
    EXPECT_NEAR(cells[i].snr_db, report.snr.value, 0.01) << i;
    EXPECT_EQ(cells[i].reachable, report.reachable) << i;
    EXPECT_NEAR(cells[i].frame_loss, report.reachable ? report.frame_error_rate : 1, 0.01) << i;
    EXPECT_TRUE(cells[i].line_of_sight);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, Coverage, testing::Values("wifi_11n_2g4_adhoc", "rfd900x", "cc2420"));

TEST(CoverageTest, WallAttenuatesByItsMaterial) {
  CoverageQuestion question = question_of("wifi_11n_2g4_adhoc");
  question.height_m = question.from.position.z;  // the ray is at right angles to the wall
  question.materials = {*builtin_material("brick")};
  question.obstacles = {{.box = {{40, -1, 0}, {40.2, 1, 9}}, .material = 0, .wall_m = std::nullopt}};
  const CellGrid grid{.west_m = 20, .south_m = -5, .cell_m = 10, .columns = 5, .rows = 1};
  const std::vector<CoverageCell> cells = coverage_of(question, grid);
  const std::vector<Wall> wall{{question.materials.front(), 0.2}};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Vec3 place = grid.middle(i, question.height_m);
    const bool behind = place.x > 40;
    EXPECT_EQ(cells[i].line_of_sight, !behind);
    EXPECT_NEAR(cells[i].snr_db, report_at(question, place, behind ? wall : std::vector<Wall>{}).snr.value, 0.01) << i;
  }
}

TEST(CoverageTest, RadiosOfOtherDomainsAreRefused) {
  CoverageQuestion question = question_of("wifi_11n_2g4_adhoc");
  question.receiver = radio("cc2420");
  EXPECT_THAT([&] { static_cast<void>(coverage_of(question, {.columns = 1, .rows = 1})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("never hear one another")));
}

TEST(CoverageTest, Grades) {
  EXPECT_EQ(coverage_grade({.reachable = true, .snr_db = 30}, CoverageValue::kSnr), 0);
  EXPECT_EQ(coverage_grade({.reachable = true, .snr_db = 29.9}, CoverageValue::kSnr), 1);
  EXPECT_EQ(coverage_grade({.reachable = true, .snr_db = -3}, CoverageValue::kSnr), 5);
  EXPECT_EQ(coverage_grade({.reachable = true, .frame_loss = 0}, CoverageValue::kLoss), 0);
  EXPECT_EQ(coverage_grade({.reachable = true, .frame_loss = 0.6}, CoverageValue::kLoss), 5);
  EXPECT_EQ(coverage_grade({.reachable = false, .snr_db = 40}, CoverageValue::kSnr), 6);
}

constexpr auto kYard = R"(name: yard
seed: 7
ports: {red: {interface: yard-red}, blue: {interface: yard-blue}}
robots:
  red: {port: red, mac: "02:68:67:00:00:01", radio: wifi_11n_2g4_adhoc}
  blue: {port: blue, mac: "02:68:67:00:00:02", radio: wifi_11n_2g4_adhoc}
physics:
  type: trajectory
  tracks:
    red: [{at: 0s, position: [0m, 0m, 2m]}]
    blue: [{at: 0s, position: [50m, 0m, 2m]}, {at: 10s, position: [50m, 40m, 2m]}]
  obstacles:
    - {name: house, box: {min: [20m, 10m, 0m], max: [30m, 30m, 9m]}, material: brick, wall: 30cm}
netsim: {type: embedded}
)";

class MapTest : public testing::Test {
 protected:
  MapTest() { std::filesystem::create_directories(folder_); }
  ~MapTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] MapOptions options(const std::string& yaml = kYard) const {
    std::ofstream(folder_ / "scene.yaml") << yaml;
    return {.file = folder_ / "scene.yaml", .output = folder_ / "scene.svg"};
  }
  static std::string picture_of(const MapOptions& options) {
    EXPECT_EQ(map_command(options), 0);
    std::ifstream in(options.output, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::filesystem::path in_folder(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / ("hgt-map-" + std::to_string(getpid()));
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(MapTest, DrawsTheConfiguration) {
  MapOptions wanted = options();
  wanted.margin_m = 10;
  wanted.cell_m = 5;
  wanted.at = std::chrono::seconds(5);
  const std::string svg = picture_of(wanted);
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr(">yard, at 5 s<"));
  // 70 m are 780 pixels; the house is 10 m by 20 m, 30 m from the west and 20 m from the north.
  EXPECT_THAT(svg, HasSubstr("<rect x='398.29' y='270.86' width='111.43' height='222.86' ><title>house: brick"));
  EXPECT_THAT(svg, HasSubstr("<polyline points='732.6,605.1 732.6,159.4 '"));
  EXPECT_THAT(svg, HasSubstr("<title>blue at 50, 20, 2 m</title>"));
  EXPECT_THAT(svg, AllOf(HasSubstr("id='coverage'"), HasSubstr("id='scale'"), HasSubstr(">10 m<")));
  EXPECT_THAT(svg, AllOf(HasSubstr("SNR of red"), HasSubstr("30 dB and more")));
}

TEST_F(MapTest, CoverageOfAnotherRobotByLossOrNotAtAll) {
  MapOptions wanted = options();
  wanted.from = "blue";
  wanted.show = MapOptions::Show::kLoss;
  wanted.cell_m = 5;
  const std::string svg = picture_of(wanted);
  EXPECT_THAT(svg, AllOf(HasSubstr("Loss of a try of blue"), HasSubstr("0.1 to 1 %")));
  wanted.show = MapOptions::Show::kNothing;
  EXPECT_THAT(picture_of(wanted), AllOf(Not(HasSubstr("id='coverage'")), HasSubstr("house")));
}

TEST_F(MapTest, BadInputIsNamed) {
  const auto says = [](const MapOptions& wanted, const std::string& what) {
    EXPECT_THAT([&] { map_command(wanted); }, ThrowsMessage<std::runtime_error>(HasSubstr(what)));
  };
  MapOptions wanted = options();
  wanted.from = "bleu";
  says(wanted, "--from bleu: no robot or access point with a radio and a place; did you mean 'blue'?");
  wanted = options();
  wanted.radio = "wifi_11n_2g4_adhocs";
  says(wanted, "wifi_11n_2g4_adhoc");
  wanted = options();
  wanted.cell_m = 0.01;
  says(wanted, "use a larger --cell");
  wanted = options();
  wanted.output = in_folder("scene.gif");
  says(wanted, "a picture is a .svg or a .png");
  wanted.output = in_folder("no/scene.svg");
  says(wanted, "cannot be written");
  wanted = options(replaced(kYard, "netsim: {type: embedded}", "netsim: {type: wier}"));
  EXPECT_THROW(map_command(wanted), std::exception);
  wanted =
      options("name: wire\nports: {red: {interface: yard-red}}\nrobots: {red: {port: red}}\nnetsim: {type: wire}\n");
  says(wanted, "nothing to draw");
}

TEST_F(MapTest, APngIsOne) {
  MapOptions wanted = options();
  wanted.output = in_folder("scene.png");
  const std::string png = picture_of(wanted);
  EXPECT_THAT(png, StartsWith("\x89PNG\r\n"));
  EXPECT_GT(png.size(), 10'000U);
  EXPECT_FALSE(std::filesystem::exists(in_folder("scene.png.svg")));
}

}  // namespace
}  // namespace hilgate::test

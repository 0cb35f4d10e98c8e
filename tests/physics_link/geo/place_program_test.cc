// SPDX-License-Identifier: Apache-2.0
// hilgate-place itself, and `hilgate check` with it, on the files of examples/places and on broken ones.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/process.h"
#include "physics_link/buildings.h"
#include "physics_link/geo/geo_json.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kPlaceProgram = HILGATE_BIN_DIR "/hilgate-place";
const std::string kPlaces = HILGATE_SOURCE_DIR "/examples/places/";
constexpr mavlink::Geodetic kYard{.lat_deg = 47, .lon_deg = 11, .alt_m = 500};

GeoScene surveyed(const GeoQuestion& question) {
  const ProcessAnswer answer = run_for_answer({kPlaceProgram, geo_question_text(question)}, 1 << 28);
  EXPECT_EQ(answer.status, 0);
  return parse_geo_scene(answer.output);
}

/// "KEY: TEXT"; empty where there is an answer.
std::string fault_of(const GeoQuestion& question) {
  try {
    surveyed(question);
  } catch (const GeoFault& fault) {
    return fault.key() + ": " + fault.what();
  }
  return "";
}

class PlaceProgram : public testing::Test {
 protected:
  PlaceProgram() : folder_(std::filesystem::path(testing::TempDir()) / ("hgt-place-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~PlaceProgram() override { std::filesystem::remove_all(folder_); }
  PlaceProgram(const PlaceProgram&) = delete;
  PlaceProgram& operator=(const PlaceProgram&) = delete;

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string elevation(const std::string& name, const std::string& kind = "") const {
    std::vector<std::string> command{"python3", kPlaces + "make_dem.py", path(name)};
    if (!kind.empty()) {
      command.push_back(kind);
    }
    run_or_throw(command);
    return path(name);
  }
  static std::string text_of(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(name).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  GeoQuestion yard_{.osm = kPlaces + "site.osm", .terrain = {}, .origin = kYard};
};

const GeoBuilding& named(const GeoScene& scene, const std::string& name) {
  return *std::ranges::find(scene.buildings, name, &GeoBuilding::name);
}

TEST_F(PlaceProgram, ReadsBuildingsWithTheirHeightsAndMaterials) {
  const GeoScene scene = surveyed(yard_);
  ASSERT_EQ(scene.buildings.size(), 4U);
  EXPECT_EQ(scene.counts, (GeoCounts{.by_height = 2, .by_levels = 1, .by_default = 1, .with_material = 2, .roofs = 1}));
  const GeoBuilding& hall = named(scene, "way 101");
  EXPECT_EQ(hall.material, "wall_stone");
  EXPECT_EQ(hall.top_m, 8);
  // 0.00046 degrees of longitude at 47 degrees north are 0.00046 pi / 180 N cos 47, N = 6 389 585 m.
  EXPECT_NEAR(hall.rings[0][0].x, 0.00046 * M_PI / 180 * 6'389'585 * std::cos(47 * M_PI / 180), 0.02);
  EXPECT_EQ(named(scene, "way 102").top_m, 6) << "two levels";
  EXPECT_EQ(named(scene, "way 103").top_m, 6) << "by default";
  EXPECT_EQ(named(scene, "way 103").material, "building");
  const GeoBuilding& school = named(scene, "relation 201");
  EXPECT_EQ(school.rings.size(), 2U) << "with its courtyard";
  EXPECT_EQ(school.top_m, 12);
}

TEST_F(PlaceProgram, BuildingsBlockByTheirCorners) {
  std::vector<Prism> prisms;
  for (const GeoBuilding& building : surveyed(yard_).buildings) {
    prisms.push_back(
        {.rings = building.rings, .base_m = building.base_m, .top_m = building.top_m, .wall_m = building.wall_m});
  }
  const Buildings buildings(std::move(prisms));
  const auto crossings = [&](const Vec3& a, const Vec3& b) {
    std::vector<WallCrossing> walls;
    buildings.append_crossings({a, b}, walls);
    return walls.size();
  };
  // By hand: the hall is from 35 to 65 m east and from 10 m south to 10 m north, 8 m high.
  EXPECT_EQ(crossings({0, 0, 2}, {100, 0, 2}), 2U) << "in and out";
  EXPECT_EQ(crossings({0, 0, 9}, {100, 0, 9}), 0U) << "over it";
  EXPECT_EQ(crossings({0, 15, 2}, {100, 15, 2}), 0U) << "past it";
  EXPECT_EQ(crossings({50, -20, 2}, {50, 20, 2}), 2U);
  EXPECT_EQ(crossings({50, 0, 2}, {50, 20, 2}), 1U) << "out of it";
  EXPECT_EQ(crossings({95, -85, 2}, {115, -85, 2}), 0U) << "within the courtyard of the school";
  EXPECT_EQ(crossings({105, -85, 2}, {105, -200, 2}), 1U) << "out of the courtyard";
}

TEST_F(PlaceProgram, ReadsTheCompactFormat) {
  run_or_throw({"osmium", "cat", "--overwrite", "-o", path("site.osm.pbf"), kPlaces + "site.osm"});
  GeoQuestion compact = yard_;
  compact.osm = path("site.osm.pbf");
  EXPECT_EQ(surveyed(compact).counts, surveyed(yard_).counts);
}

TEST_F(PlaceProgram, ReadsObjectsThatAnEditorHasNotUploaded) {
  std::string text = text_of(kPlaces + "site.osm");
  for (const char* key : {" id='", " ref='"}) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      text.insert(at + std::string_view(key).size(), "-");
    }
  }
  yard_.osm = file("new.osm", text);
  EXPECT_EQ(surveyed(yard_).buildings.size(), 4U);
}

TEST_F(PlaceProgram, SkipsBuildingsBeyondTheRadius) {
  yard_.radius_m = 80;
  const GeoScene scene = surveyed(yard_);
  EXPECT_EQ(scene.counts.outside, 1U) << "the school";
  EXPECT_EQ(scene.buildings.size(), 3U);
}

TEST_F(PlaceProgram, CountsBrokenOutlines) {
  std::string text = text_of(kPlaces + "site.osm");
  const std::string node = "  <node id='23'";
  text.replace(text.find(node), node.size(), "  <node id='99'");  // of the shed, which is left with a corner missing
  yard_.osm = file("cut.osm", text);
  const GeoScene scene = surveyed(yard_);
  EXPECT_EQ(scene.counts.broken, 1U);
  EXPECT_EQ(scene.buildings.size(), 3U);
}

TEST_F(PlaceProgram, ReportsFaultsOfForeignFiles) {
  yard_.osm = file("notes.osm", "milk, eggs");
  EXPECT_THAT(fault_of(yard_), AllOf(HasSubstr("osm: "), HasSubstr("is not a file of OpenStreetMap")));
  yard_.osm = file("notes.osm.pbf", "milk, eggs and a good deal of other text");
  EXPECT_THAT(fault_of(yard_), HasSubstr("is not a file of OpenStreetMap"));
  yard_.osm = file("empty.osm", "<?xml version='1.0'?><osm version='0.6'></osm>");
  EXPECT_THAT(fault_of(yard_), HasSubstr("has no buildings"));
}

TEST_F(PlaceProgram, NamesASwappedOrigin) {
  std::swap(yard_.origin.lat_deg, yard_.origin.lon_deg);
  EXPECT_THAT(fault_of(yard_), AllOf(HasSubstr("origin: "), HasSubstr("are swapped")));
  yard_.origin = {.lat_deg = 47.5, .lon_deg = 11, .alt_m = 500};
  EXPECT_THAT(fault_of(yard_), AllOf(HasSubstr("m away, at latitude 47.0"), HasSubstr("check the origin")));
}

// Independent of the program: the formula of make_dem.py.
double made_height(double east, double north) {
  const double from_ridge = (47 + north / 111'170 - 47.0015) * 111'170;
  return 500 + 0.01 * east + 20 * std::exp(-std::pow(from_ridge / 30, 2));
}

TEST_F(PlaceProgram, ReadsHeightsAsAGrid) {
  yard_.terrain = kPlaces + "dem.tif";
  const GeoScene scene = surveyed(yard_);
  ASSERT_TRUE(scene.terrain);
  const HeightGrid ground(scene.terrain->layout, scene.terrain->heights_m, kYard.alt_m);
  EXPECT_NEAR(scene.terrain->layout.step_m, 7.6, 0.1);
  for (const GroundPoint& at :
       {GroundPoint{0, 0}, GroundPoint{50, 100}, GroundPoint{-100, 167}, GroundPoint{200, -50}}) {
    // Pixels are 11 m long, and a chord of the ridge's top, which bends by 0.044 per m, is 0.7 m below it there.
    EXPECT_NEAR(ground.at(at.x, at.y), made_height(at.x, at.y) - 500, 1) << at.x << ", " << at.y;
    EXPECT_NEAR(ground.above_sea(at.x, at.y), made_height(at.x, at.y), 1);
  }
  EXPECT_TRUE(ground.blocks({{0, 100, 3}, {0, 230, 3}})) << "the ridge";
  EXPECT_FALSE(ground.blocks({{0, 100, 25}, {0, 230, 25}}));
  EXPECT_NEAR(named(scene, "way 101").base_m, made_height(35, 0) - 500, 0.1) << "stands on its lowest ground";
  EXPECT_NEAR(named(scene, "way 101").top_m - named(scene, "way 101").base_m, 8, 1e-6);
}

TEST_F(PlaceProgram, ReportsFaultsOfHeights) {
  yard_.terrain = elevation("hole.tif", "hole");
  EXPECT_THAT(fault_of(yard_), AllOf(HasSubstr("terrain: "), HasSubstr("has no height at latitude")));
  yard_.terrain = file("notes.tif", "milk, eggs");
  EXPECT_THAT(fault_of(yard_), HasSubstr("is not a raster of heights"));
  yard_.terrain = kPlaces + "dem.tif";
  yard_.osm = "";
  yard_.origin.lat_deg = 47.1;
  EXPECT_THAT(fault_of(yard_), HasSubstr("does not cover the origin, latitude 47.1"));
}

TEST_F(PlaceProgram, HeightsMustCoverTheBuildings) {
  std::string text = text_of(kPlaces + "site.osm");
  for (std::size_t at = text.find("lon='11.00018'"); at != std::string::npos; at = text.find("lon='11.00018'")) {
    text.replace(at, 14, "lon='11.01018'");  // the shed reaches beyond the raster
  }
  yard_.osm = file("wide.osm", text);
  yard_.terrain = kPlaces + "dem.tif";
  EXPECT_THAT(fault_of(yard_), AllOf(HasSubstr("does not cover way 103"), HasSubstr("longitude 11.01018")));
}

TEST_F(PlaceProgram, CheckReportsTheContents) {
  const std::string text = run_for_output({HILGATE_BIN_DIR "/hilgate", "check", kPlaces + "yard.yaml"});
  EXPECT_THAT(text,
              HasSubstr("scene: 4 buildings from 8, -111 m to 137, 53 m; heights: 2 given, 1 by levels, 1 default "
                        "6 m; materials: 2 given, 2 default; left out: 1 roofs without walls or under the ground"));
  EXPECT_THAT(text, HasSubstr("terrain of 63 x "));
}

TEST_F(PlaceProgram, CheckNamesTheKey) {
  std::string text = text_of(kPlaces + "yard.yaml");
  text.replace(text.find("site.osm"), 8, "missing.osm");
  const std::string config = file("yard.yaml", text);
  std::filesystem::copy(kPlaces + "dem.tif", folder_ / "dem.tif");
  const ProcessResult check = run_process(std::vector<std::string>{HILGATE_BIN_DIR "/hilgate", "check", config});
  EXPECT_EQ(check.status, 2);
  EXPECT_THAT(check.errors, AllOf(HasSubstr("physics.scene.osm"), HasSubstr("does not exist")));
}

}  // namespace
}  // namespace hilgate::test

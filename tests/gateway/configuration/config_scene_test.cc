// SPDX-License-Identifier: Apache-2.0
// `physics.scene`, with what hilgate-place would answer, and positions by latitude and longitude.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gateway/run/conditions/found_conditions.h"
#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One degree of latitude at 47 degrees north, and of longitude: the radii of the ellipsoid there are 6 369 607 m and
// 6 389 585 m.
constexpr double kNorth = 6'369'607 * M_PI / 180;
const double kEast = 6'389'585 * std::cos(47 * M_PI / 180) * M_PI / 180;

class ConfigScene : public testing::Test {
 protected:
  ConfigScene() : folder_(std::filesystem::path(testing::TempDir()) / ("hgt-scene-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "site.osm") << "read by hilgate-place alone";
    std::ofstream(folder_ / "dem.tif") << "likewise";
    answer_.buildings.push_back({.name = "way 1",
                                 .rings = {{{2, -1}, {3, -1}, {3, 1}, {2, 1}}},
                                 .base_m = 0,
                                 .top_m = 9,
                                 .material = "building",
                                 .wall_m = {}});
    answer_.counts.by_default = 1;
  }
  ~ConfigScene() override { std::filesystem::remove_all(folder_); }
  ConfigScene(const ConfigScene&) = delete;
  ConfigScene& operator=(const ConfigScene&) = delete;

  // `scene`: what is under physics.scene, on one line; `tracks`: of red.
  Configuration read(const std::string& scene, const std::string& red = "[0m, 0m, 1m]") {
    std::string text = with_line(19, "    red: [{at: 0s, position: " + red + "}]");
    text.replace(text.find("  type: trajectory\n"), 19, "  type: trajectory\n" + scene);
    YamlDocument document = YamlDocument::parse(text, (folder_ / "f.yaml").string());
    KnownNames known = some_names();
    known.survey = [this](const GeoQuestion& question) {
      asked_.push_back(question);
      if (fault_) {
        throw *fault_;
      }
      return std::make_shared<const GeoScene>(answer_);
    };
    Configuration configuration = read_configuration(document, known);
    document.finish();
    return configuration;
  }
  std::string fault_in(const std::string& scene, const std::string& red = "[0m, 0m, 1m]") {
    try {
      read(scene, red);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
  GeoScene answer_;
  std::optional<GeoFault> fault_;
  std::vector<GeoQuestion> asked_;
};

const std::string kScene = "  scene: {osm: site.osm, origin: {latitude: 47, longitude: 11}}\n";
const std::string kOrigin = "  origin: {latitude: 47, longitude: 11, altitude: 500 m}\n";

TEST_F(ConfigScene, BuildingsOfTheAnswerStandBetweenRobots) {
  const Configuration configuration = read(kScene);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].osm, (folder_ / "site.osm").string());
  EXPECT_EQ(asked_[0].origin, (mavlink::Geodetic{.lat_deg = 47, .lon_deg = 11, .alt_m = 0}));
  EXPECT_EQ(asked_[0].radius_m, 10'000);
  ASSERT_NE(configuration.world.scene.buildings, nullptr);
  const Prism& prism = configuration.world.scene.buildings->prisms().at(0);
  EXPECT_EQ(configuration.world.materials.at(prism.material).name, "building");
  EXPECT_EQ(prism.fixed_loss_db, 14);
  EXPECT_THAT(text_of(configuration.world.scene),
              HasSubstr("1 buildings from 2, -1 m to 3, 1 m; heights: 0 given, 0 by "
                        "levels, 1 default 6 m"));
}

TEST_F(ConfigScene, RequestsWhatTheKeysConfigure) {
  read("  scene: {osm: site.osm, radius: 200m, default_height: 9m}\n" + kOrigin);
  EXPECT_EQ(asked_.at(0).radius_m, 200);
  EXPECT_EQ(asked_.at(0).default_height_m, 9);
  EXPECT_EQ(asked_.at(0).origin.alt_m, 500);
}

TEST_F(ConfigScene, ReportsMissingKeys) {
  EXPECT_THAT(fault_in("  scene: {osm: site.osm}\n"), HasSubstr("misses the key 'origin'"));
  EXPECT_THAT(fault_in("  scene: {}\n" + kOrigin), HasSubstr("misses the key 'osm'"));
  EXPECT_THAT(fault_in("  scene: {osm: other.osm}\n" + kOrigin),
              AllOf(HasSubstr("physics.scene.osm"), HasSubstr("other.osm' does not exist")));
  EXPECT_THAT(fault_in("  scene: {terrain: dem.tif, origin: {latitude: 47, longitude: 11}}\n"),
              HasSubstr("misses the key 'altitude'"));
  EXPECT_THAT(fault_in("  scene: {osm: site.osm, origin: {latitude: 47, longitude: 11}}\n" + kOrigin),
              HasSubstr("is already given by physics.origin"));
  EXPECT_THAT(fault_in("  scene: {osm: site.osm, radius: 1m}\n" + kOrigin), HasSubstr("10 m to 100 km"));
  EXPECT_THAT(fault_in("  scene: {osm: site.osm, colour: red}\n" + kOrigin), HasSubstr("colour"));
  EXPECT_THAT(fault_in("  origin: {latitude: 470, longitude: 11}\n"), HasSubstr("-90 to 90"));
}

TEST_F(ConfigScene, FaultsOfFilesHaveTheirKeys) {
  fault_ = GeoFault("osm", "site.osm has no buildings");
  EXPECT_THAT(fault_in(kScene), HasSubstr("physics.scene.osm: site.osm has no buildings"));
}

TEST_F(ConfigScene, RefusesMaterialsThatThereAreNot) {
  answer_.buildings[0].material = "gingerbread";
  EXPECT_THAT(fault_in(kScene), HasSubstr("'gingerbread'"));
}

TEST_F(ConfigScene, PlacesOnTheEarthArePositions) {
  const Configuration configuration = read(kOrigin, "{latitude: 47.001, longitude: 11.002, altitude: 512 m}");
  const Vec3 at = configuration.physics->tracks.at(0).at(0).position;
  EXPECT_NEAR(at.x, 0.002 * kEast, 0.05);
  EXPECT_NEAR(at.y, 0.001 * kNorth, 0.05);
  EXPECT_NEAR(at.z, 12, 0.01);
}

TEST_F(ConfigScene, HeightsAreAboveTheGround) {
  answer_.terrain = GeoTerrain{.layout = {.west_m = -500, .south_m = -500, .step_m = 1000, .columns = 2, .rows = 2},
                               .heights_m = {-10, 10, -10, 10},
                               .lowest_m = 490,
                               .highest_m = 510};
  const std::string scene = "  scene: {osm: site.osm, terrain: dem.tif}\n" + kOrigin;
  const Configuration configuration = read(scene, "{latitude: 47, longitude: 11.002, height: 2 m}");
  const Vec3 at = configuration.physics->tracks.at(0).at(0).position;
  EXPECT_NEAR(at.z, 2 + 0.02 * 0.002 * kEast, 1e-3);
  EXPECT_NEAR(configuration.world.scene.ground->above_sea(0, 0), 500, 1e-6);
  EXPECT_THAT(fault_of_place(configuration, at), IsEmpty());
  EXPECT_THAT(fault_of_place(configuration, {400, 0, 1}), HasSubstr("under the ground, which is at z = 8.0 m there"));
  EXPECT_THAT(fault_of_place(configuration, {400, 600, 20}), HasSubstr("outside the terrain"));
}

TEST_F(ConfigScene, ReportsFaultsOfPlaces) {
  EXPECT_THAT(fault_in("", "{latitude: 47, longitude: 11, height: 2 m}"), HasSubstr("needs the origin of x, y and z"));
  EXPECT_THAT(fault_in(kOrigin, "{latitude: 47, longitude: 11}"),
              HasSubstr("'altitude', above sea level, and 'height'"));
  EXPECT_THAT(fault_in(kOrigin, "{latitude: 11, longitude: 47, height: 2 m}"),
              HasSubstr("are latitude and longitude swapped?"));
  EXPECT_THAT(fault_in("  origin: {latitude: 47, longitude: 11}\n", "{latitude: 47, longitude: 11, altitude: 2 m}"),
              HasSubstr("needs the `altitude` of the origin"));
}

}  // namespace
}  // namespace hilgate::test

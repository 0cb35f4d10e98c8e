// SPDX-License-Identifier: Apache-2.0
#include "physics_link/geo/geo_json.h"

#include <gmock/gmock.h>

#include "physics_link/geo/building_tags.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

GeoScene some_scene() {
  return {.buildings = {{.name = "way 7",
                         .rings = {{{0, 0}, {10, 0}, {10, 5}}, {{1, 1}, {2, 1}, {2, 2}}},
                         .base_m = -1,
                         .top_m = 9,
                         .material = "building",
                         .wall_m = 0.3}},
          .counts = {.by_height = 1, .outside = 2, .broken = 3},
          .terrain = GeoTerrain{.layout = {.west_m = -10, .south_m = -20, .step_m = 30, .columns = 2, .rows = 2},
                                .heights_m = {1, 2, 3, 4.25},
                                .lowest_m = 501,
                                .highest_m = 504.25}};
}

std::string refusal_of(const std::string& text) {
  try {
    parse_geo_scene(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old << " in " << text;
  return text.replace(at, old.size(), by);
}

TEST(GeoJson, AnswersComeBackAsTheyWere) {
  EXPECT_EQ(parse_geo_scene(geo_scene_text(some_scene())), some_scene());
  EXPECT_EQ(parse_geo_scene(geo_scene_text({})), GeoScene{});
}

TEST(GeoJson, QuestionsComeBackAsTheyWere) {
  const GeoQuestion question{.osm = "a.osm",
                             .terrain = "b.tif",
                             .origin = {.lat_deg = 47, .lon_deg = -11, .alt_m = 500},
                             .radius_m = 300,
                             .default_height_m = 4};
  EXPECT_EQ(parse_geo_question(geo_question_text(question)), question);
  EXPECT_THROW(parse_geo_question("{}"), std::runtime_error);
}

TEST(GeoJson, FaultsNameTheKey) {
  try {
    parse_geo_scene(geo_fault_text(GeoFault("osm", "no buildings")));
    FAIL();
  } catch (const GeoFault& fault) {
    EXPECT_EQ(fault.key(), "osm");
    EXPECT_STREQ(fault.what(), "no buildings");
  }
}

TEST(GeoJson, AnswersAreReadStrictly) {
  const std::string good = geo_scene_text(some_scene());
  EXPECT_THAT(refusal_of("PROJ: warning"), HasSubstr("is not what hilgate-place writes"));
  EXPECT_THAT(refusal_of("{}"), HasSubstr("keys"));
  EXPECT_THAT(refusal_of(replaced(good, "\"base_m\"", "\"bottom_m\"")), HasSubstr("misses the key 'base_m'"));
  EXPECT_THAT(refusal_of(replaced(good, "\"base_m\":-1.0", "\"base_m\":9.0")), HasSubstr("without height"));
  EXPECT_THAT(refusal_of(replaced(good, "\"base_m\":-1.0", "\"base_m\":1e99")), HasSubstr("allowed"));
  EXPECT_THAT(refusal_of(replaced(good, "\"base_m\":-1.0", "\"base_m\":null")), HasSubstr("allowed"));
  EXPECT_THAT(refusal_of(replaced(good, "[1.0,1.0,2.0,1.0,2.0,2.0]", "[1.0,1.0,2.0,1.0]")), HasSubstr("list of 4"));
  EXPECT_THAT(refusal_of(replaced(good, "[1.0,1.0,2.0,1.0,2.0,2.0]", "[1,1,2,1,2,2,3]")), HasSubstr("half a point"));
  EXPECT_THAT(refusal_of(replaced(good, "\"columns\":2", "\"columns\":3")), HasSubstr("4 heights for 3 times 2"));
  EXPECT_THAT(refusal_of(replaced(good, "\"hilgate_place\":1", "\"hilgate_place\":2")), HasSubstr("same version"));
}

TEST(BuildingTags, LengthsHaveUnits) {
  EXPECT_EQ(length_of_tag("12"), 12);
  EXPECT_EQ(length_of_tag(" 12.5 m "), 12.5);
  EXPECT_NEAR(*length_of_tag("40 ft"), 12.192, 1e-9);
  EXPECT_NEAR(*length_of_tag("40'"), 12.192, 1e-9);
  EXPECT_NEAR(*length_of_tag("40'6\""), 12.3444, 1e-9);
  for (const char* text : {"", "tall", "12 yd", "-3", "1e9", "nan", "inf", "40'6", "12 m high", "12;14"}) {
    EXPECT_FALSE(length_of_tag(text)) << text;
  }
}

TEST(BuildingTags, LevelsAreNumbers) {
  EXPECT_EQ(levels_of_tag("3"), 3);
  EXPECT_EQ(levels_of_tag("2.5"), 2.5);
  EXPECT_FALSE(levels_of_tag("2-3"));
  EXPECT_FALSE(levels_of_tag("900"));
}

TEST(BuildingTags, WallsOfKnownMaterials) {
  EXPECT_EQ(wall_kind_of_tag("brick")->material, "wall_stone");
  EXPECT_EQ(wall_kind_of_tag("wood")->material, "wall_wood");
  EXPECT_FALSE(wall_kind_of_tag("gingerbread"));
}

TEST(Geodetic, PlacesComeBackFromTheTangentPlane) {
  const mavlink::Geodetic origin{.lat_deg = 47, .lon_deg = 11, .alt_m = 500};
  for (const Vec3& enu : {Vec3{}, Vec3{1000, -2000, 30}, Vec3{-50'000, 80'000, -700}, Vec3{3, 4, 9000}}) {
    const Vec3 back = enu_of(geodetic_of(enu, origin), origin);
    EXPECT_NEAR(distance_m(back, enu), 0, 1e-3);
  }
  EXPECT_NEAR(geodetic_of({0, 0, 10}, origin).alt_m, 510, 1e-6);
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "physics_link/geo/geo_json.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "config/plain_text.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate {
namespace {

using GeoJson = nlohmann::json;

constexpr int kGeoVersion = 1;
constexpr double kPerCentimetre = 100;  // heights of the ground are whole centimetres

// An object with these keys and no others.
const GeoJson& object_of(const GeoJson& json, std::initializer_list<const char*> keys) {
  if (!json.is_object() || json.size() != keys.size()) {
    throw std::runtime_error("is not an object with the keys that belong to it");
  }
  for (const char* key : keys) {
    if (!json.contains(key)) {
      throw std::runtime_error(fmt::format("misses the key '{}'", key));
    }
  }
  return json;
}

double number_of(const GeoJson& json, double low, double high) {
  const double value = json.is_number() ? json.get<double>() : std::nan("");
  if (!(low <= value && value <= high)) {
    throw std::runtime_error(fmt::format("has the number {}; allowed: {} to {}", json.dump(), low, high));
  }
  return value;
}

double metres_of(const GeoJson& json) {
  return number_of(json, -kWorldReach, kWorldReach);
}

std::size_t count_of(const GeoJson& json, std::size_t most) {
  return static_cast<std::size_t>(number_of(json, 0, static_cast<double>(most)));
}

const GeoJson& list_of(const GeoJson& json, std::size_t least, std::size_t most) {
  if (!json.is_array() || json.size() < least || json.size() > most) {
    throw std::runtime_error(fmt::format("has a list of {} items; allowed: {} to {}", json.size(), least, most));
  }
  return json;
}

GeoJson ring_json(const GroundRing& ring) {
  GeoJson numbers = GeoJson::array();
  for (const GroundPoint& point : ring) {
    numbers.push_back(point.x);
    numbers.push_back(point.y);
  }
  return numbers;
}

GroundRing ring_of(const GeoJson& json, std::size_t& points) {
  constexpr std::size_t kCorners = 3;
  list_of(json, 2 * kCorners, 2 * kMostGeoPoints);
  GroundRing ring;
  for (std::size_t i = 0; i + 1 < json.size(); i += 2) {
    ring.push_back({metres_of(json[i]), metres_of(json[i + 1])});
  }
  points += ring.size();
  if (json.size() % 2 != 0 || points > kMostGeoPoints) {
    throw std::runtime_error("has an outline with half a point, or too many points");
  }
  return ring;
}

GeoJson building_json(const GeoBuilding& building) {
  GeoJson rings = GeoJson::array();
  for (const GroundRing& ring : building.rings) {
    rings.push_back(ring_json(ring));
  }
  return {{"name", building.name},         {"rings", std::move(rings)},
          {"base_m", building.base_m},     {"top_m", building.top_m},
          {"material", building.material}, {"wall_m", building.wall_m ? GeoJson(*building.wall_m) : GeoJson()}};
}

GeoBuilding building_of(const GeoJson& json, std::size_t& points) {
  constexpr std::size_t kMostRings = 10'000;
  constexpr double kMostWall = 100;  // m
  object_of(json, {"name", "rings", "base_m", "top_m", "material", "wall_m"});
  GeoBuilding building{.name = json["name"].get<std::string>(),
                       .rings = {},
                       .base_m = metres_of(json["base_m"]),
                       .top_m = metres_of(json["top_m"]),
                       .material = json["material"].get<std::string>(),
                       .wall_m = {}};
  for (const GeoJson& ring : list_of(json["rings"], 1, kMostRings)) {
    building.rings.push_back(ring_of(ring, points));
  }
  if (!json["wall_m"].is_null()) {
    building.wall_m = number_of(json["wall_m"], 0, kMostWall);
  }
  if (!(building.base_m < building.top_m)) {
    throw std::runtime_error(fmt::format("has the building '{}' without height", building.name));
  }
  return building;
}

GeoJson counts_json(const GeoCounts& counts) {
  return {{"by_height", counts.by_height}, {"by_levels", counts.by_levels},         {"by_default", counts.by_default},
          {"outside", counts.outside},     {"with_material", counts.with_material}, {"roofs", counts.roofs},
          {"broken", counts.broken}};
}

GeoCounts counts_of(const GeoJson& json) {
  object_of(json, {"by_height", "by_levels", "by_default", "outside", "with_material", "roofs", "broken"});
  const auto count = [&json](const char* key) {
    constexpr std::size_t kMost = 1'000'000'000;
    return count_of(json[key], kMost);
  };
  return {.by_height = count("by_height"),
          .by_levels = count("by_levels"),
          .by_default = count("by_default"),
          .with_material = count("with_material"),
          .outside = count("outside"),
          .roofs = count("roofs"),
          .broken = count("broken")};
}

GeoJson terrain_json(const GeoTerrain& terrain) {
  GeoJson heights = GeoJson::array();
  for (const float height : terrain.heights_m) {
    heights.push_back(std::lround(height * kPerCentimetre));
  }
  const auto& [west_m, south_m, step_m, columns, rows] = terrain.layout;
  return {{"west_m", west_m},
          {"south_m", south_m},
          {"step_m", step_m},
          {"columns", columns},
          {"rows", rows},
          {"lowest_m", terrain.lowest_m},
          {"highest_m", terrain.highest_m},
          {"heights_cm", std::move(heights)}};
}

GeoTerrain terrain_of(const GeoJson& json) {
  constexpr double kLeastStep = 0.01;  // m
  constexpr double kMostHeight = 1e5;  // m
  object_of(json, {"west_m", "south_m", "step_m", "columns", "rows", "lowest_m", "highest_m", "heights_cm"});
  GeoTerrain terrain{.layout = {.west_m = metres_of(json["west_m"]),
                                .south_m = metres_of(json["south_m"]),
                                .step_m = number_of(json["step_m"], kLeastStep, kWorldReach),
                                .columns = count_of(json["columns"], kMostGeoPosts),
                                .rows = count_of(json["rows"], kMostGeoPosts)},
                     .heights_m = {},
                     .lowest_m = metres_of(json["lowest_m"]),
                     .highest_m = metres_of(json["highest_m"])};
  const auto [columns, rows] = std::pair(terrain.layout.columns, terrain.layout.rows);
  const GeoJson& heights = list_of(json["heights_cm"], 4, kMostGeoPosts);
  if (columns < 2 || rows < 2 || columns * rows != heights.size()) {
    throw std::runtime_error(fmt::format("has {} heights for {} times {} posts", heights.size(), columns, rows));
  }
  for (const GeoJson& height : heights) {
    terrain.heights_m.push_back(static_cast<float>(
        number_of(height, -kMostHeight * kPerCentimetre, kMostHeight * kPerCentimetre) / kPerCentimetre));
  }
  return terrain;
}

GeoScene scene_of(const GeoJson& json) {
  object_of(json, {"hilgate_place", "buildings", "counts", "terrain"});
  if (json["hilgate_place"] != kGeoVersion) {
    throw std::runtime_error(
        fmt::format("is of version {}, this program's is {}: install hilgate-place and hilgate "
                    "of the same version",
                    json["hilgate_place"].dump(), kGeoVersion));
  }
  GeoScene scene;
  std::size_t points = 0;
  for (const GeoJson& building : list_of(json["buildings"], 0, kMostGeoBuildings)) {
    scene.buildings.push_back(building_of(building, points));
  }
  scene.counts = counts_of(json["counts"]);
  if (!json["terrain"].is_null()) {
    scene.terrain = terrain_of(json["terrain"]);
  }
  return scene;
}

}  // namespace

std::string geo_question_text(const GeoQuestion& question) {
  return json_line(GeoJson{{"osm", question.osm},
                           {"terrain", question.terrain},
                           {"latitude", question.origin.lat_deg},
                           {"longitude", question.origin.lon_deg},
                           {"altitude_m", question.origin.alt_m},
                           {"radius_m", question.radius_m},
                           {"default_height_m", question.default_height_m}});
}

GeoQuestion parse_geo_question(const std::string& text) {
  constexpr double kMostDefault = 1000;  // m
  const GeoJson json = GeoJson::parse(text);
  object_of(json, {"osm", "terrain", "latitude", "longitude", "altitude_m", "radius_m", "default_height_m"});
  return {.osm = json["osm"].get<std::string>(),
          .terrain = json["terrain"].get<std::string>(),
          .origin = {.lat_deg = number_of(json["latitude"], -90, 90),
                     .lon_deg = number_of(json["longitude"], -180, 180),
                     .alt_m = metres_of(json["altitude_m"])},
          .radius_m = number_of(json["radius_m"], kLeastGeoRadius, kMostGeoRadius),
          .default_height_m = number_of(json["default_height_m"], 0, kMostDefault)};
}

std::string geo_scene_text(const GeoScene& scene) {
  GeoJson buildings = GeoJson::array();
  for (const GeoBuilding& building : scene.buildings) {
    buildings.push_back(building_json(building));
  }
  return GeoJson{{"hilgate_place", kGeoVersion},
                 {"buildings", std::move(buildings)},
                 {"counts", counts_json(scene.counts)},
                 {"terrain", scene.terrain ? terrain_json(*scene.terrain) : GeoJson()}}
      .dump();
}

std::string geo_fault_text(const GeoFault& fault) {
  return json_line(GeoJson{{"fault", {{"key", fault.key()}, {"text", fault.what()}}}});
}

GeoScene parse_geo_scene(const std::string& text) {
  try {
    const GeoJson json = GeoJson::parse(text);
    if (json.is_object() && json.size() == 1 && json.contains("fault")) {
      const GeoJson& fault = object_of(json["fault"], {"key", "text"});
      throw GeoFault(fault["key"].get<std::string>(), fault["text"].get<std::string>());
    }
    return scene_of(json);
  } catch (const GeoJson::exception& error) {
    throw std::runtime_error(fmt::format("is not what hilgate-place writes: {}", error.what()));
  }
}

}  // namespace hilgate

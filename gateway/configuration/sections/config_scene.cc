// SPDX-License-Identifier: Apache-2.0
// physics: {scene: {osm, terrain, origin, radius, default_height}}, of the real world.
#include <algorithm>
#include <filesystem>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {
namespace {

/// The file's path, empty without the key; nothing, with a fault, when it is not a file.
std::optional<std::string> read_file_name(YamlReader& scene, const char* key) {
  if (!scene.has(key)) {
    return "";
  }
  const std::filesystem::path file = scene.file_of(key);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    scene.fault(key, fmt::format("'{}' does not exist, or is not a file", file.string()));
    return std::nullopt;
  }
  return file.string();
}

/// Nothing, with a fault, where the question cannot be asked.
std::optional<GeoQuestion> read_question(YamlReader& physics, YamlReader& scene, const SceneConfig& config) {
  constexpr Range<Metres> kRadius{{kLeastGeoRadius}, {kMostGeoRadius}, "10 m to 100 km"};
  constexpr Range<Metres> kHeight{{1}, {300}, "1 m to 300 m"};
  GeoQuestion question;
  const std::optional<std::string> osm = read_file_name(scene, "osm");
  const std::optional<std::string> terrain = read_file_name(scene, "terrain");
  const bool has_files = scene.has("osm") || scene.has("terrain");
  const bool misses_altitude = config.origin && scene.has("terrain") && !config.has_altitude;
  question.radius_m = read_within(scene, "radius", kRadius).value_or(Metres{question.radius_m}).value;
  question.default_height_m =
      read_within(scene, "default_height", kHeight).value_or(Metres{question.default_height_m}).value;
  if (!has_files) {
    scene.fault("misses the key 'osm', a file of OpenStreetMap, or 'terrain', a raster of heights");
  }
  if (scene.has("origin") && physics.contains("origin")) {
    scene.fault("origin", "is already given by physics.origin; remove one of the two");
  }
  if (!config.origin) {
    scene.fault("misses the key 'origin', the latitude and longitude of x = y = 0");
  }
  if (misses_altitude) {
    scene.fault("origin", "misses the key 'altitude', the height of z = 0 above sea level, which `terrain` needs");
  }
  if (!osm || !terrain || !has_files || !config.origin || misses_altitude) {
    return std::nullopt;
  }
  question.osm = *osm;
  question.terrain = *terrain;
  question.origin = *config.origin;
  return question;
}

std::optional<double> fixed_loss_of(const MaterialConfig& material) {
  const std::optional<Material> builtin = builtin_material(material.name);
  const auto* const fixed = builtin ? std::get_if<FixedLoss>(&builtin->loss) : nullptr;
  return fixed != nullptr ? std::optional(fixed->db) : material.loss_db;
}

std::uint32_t material_in(std::vector<MaterialConfig>& materials, const std::string& name) {
  const auto found = std::ranges::find(materials, name, &MaterialConfig::name);
  if (found != materials.end()) {
    return static_cast<std::uint32_t>(found - materials.begin());
  }
  materials.push_back({name, std::nullopt});
  return static_cast<std::uint32_t>(materials.size() - 1);
}

std::vector<Prism> prisms_of(const GeoScene& surveyed, std::vector<MaterialConfig>& materials) {
  std::vector<Prism> prisms;
  for (const GeoBuilding& building : surveyed.buildings) {
    const std::uint32_t material = material_in(materials, building.material);
    prisms.push_back({.rings = building.rings,
                      .base_m = building.base_m,
                      .top_m = building.top_m,
                      .material = material,
                      .wall_m = building.wall_m,
                      .fixed_loss_db = fixed_loss_of(materials[material])});
  }
  return prisms;
}

/// The answer to the question; null, with a fault, without one.
std::shared_ptr<const GeoScene> surveyed_scene(YamlReader& scene, const KnownNames& known,
                                               const GeoQuestion& question) {
  try {
    auto surveyed = known.survey(question);
    for (const GeoBuilding& building : surveyed->buildings) {
      if (!builtin_material(building.material)) {
        throw std::runtime_error(fmt::format("hilgate-place names the unknown material '{}'", building.material));
      }
    }
    return surveyed;
  } catch (const GeoFault& fault) {
    scene.has(fault.key()) ? scene.fault(fault.key(), fault.what()) : scene.fault(fault.what());
  } catch (const std::runtime_error& error) {
    scene.fault(error.what());
  }
  return nullptr;
}

}  // namespace

void read_scene(YamlReader& root, const KnownNames& known, SceneConfig& config) {
  auto physics = root.optional_child("physics");
  if (!physics || !physics->is_map()) {
    return;
  }
  if (const std::optional<ReadOrigin> origin = read_origin(*physics)) {
    config.origin = origin->place;
    config.has_altitude = origin->has_altitude;
  }
  auto scene = physics->optional_child("scene");
  if (!scene) {
    return;
  }
  const std::optional<GeoQuestion> question = read_question(*physics, *scene, config);
  if (!question) {
    return;
  }
  config.default_height_m = question->default_height_m;
  config.surveyed = surveyed_scene(*scene, known, *question);
  if (config.surveyed && config.surveyed->terrain) {
    const GeoTerrain& terrain = *config.surveyed->terrain;
    config.ground = std::make_shared<const HeightGrid>(terrain.layout, terrain.heights_m, question->origin.alt_m);
  }
}

void lay_buildings(WorldConfig& world) {
  if (world.scene.surveyed && !world.scene.surveyed->buildings.empty()) {
    world.scene.buildings = std::make_shared<const Buildings>(prisms_of(*world.scene.surveyed, world.materials));
  }
}

}  // namespace hilgate

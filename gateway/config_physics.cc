// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gateway/config_checks.h"
#include "gateway/config_sections.h"

namespace hilgate {
namespace {

enum class PhysicsType { kTrajectory };

void read_materials(YamlReader& root, const KnownNames& known, TrajectoryConfig& config) {
  constexpr Range<Decibels> kLoss{{0}, {200}, "0 dB to 200 dB"};
  for (auto [name, material] : root.entries("materials")) {
    check_name(material, name);
    if (std::find(known.materials.begin(), known.materials.end(), name) != known.materials.end()) {
      material.fault(fmt::format("'{}' is a built-in material; choose another name", name));
    }
    config.materials.push_back({name, require_within(material, "loss", kLoss).value_or(Decibels{}).value});
  }
}

void read_tracks(YamlReader& physics, const Configuration& configuration, TrajectoryConfig& config) {
  const auto robots = names_of(configuration.robots);
  config.tracks.resize(robots.size());
  YamlReader tracks = physics.child("tracks");
  if (tracks.absent()) {
    return;
  }
  for (auto [name, track] : tracks.entries()) {
    if (const auto robot = place_of(track, name, "robot", robots)) {
      config.tracks[*robot] = read_track(track);
    }
  }
  for (const std::string& robot : robots) {
    if (!tracks.has(robot)) {
      tracks.fault(fmt::format("needs a track for robot '{}'", robot));
    }
  }
}

std::optional<Vec3> read_corner(YamlReader& box, std::string_view key) {
  if (!box.has(key)) {
    box.required<std::string>(key);
    return std::nullopt;
  }
  const auto metres = box.list<Metres>(key);
  if (metres.size() != 3) {
    box.fault(key, fmt::format("has {} numbers; x, y and z, for example [40m, 20m, 0m]", metres.size()));
    return std::nullopt;
  }
  return Vec3{metres[0].value, metres[1].value, metres[2].value};
}

void read_box(YamlReader& obstacle, Obstacle& config) {
  YamlReader box = obstacle.child("box");
  if (box.absent()) {
    return;
  }
  const auto min = read_corner(box, "min");
  const auto max = read_corner(box, "max");
  if (!min || !max) {
    return;
  }
  config.min = *min;
  config.max = *max;
  if (min->x >= max->x || min->y >= max->y || min->z >= max->z) {
    box.fault("is empty; every number of max is larger than that of min");
  }
}

void read_wall(YamlReader& obstacle, Obstacle& config) {
  const auto wall = obstacle.optional<Metres>("wall");
  if (!wall) {
    return;
  }
  config.wall_m = wall->value;
  const Vec3& min = config.min;
  const Vec3& max = config.max;
  const double side = std::min({max.x - min.x, max.y - min.y, max.z - min.z});
  if (wall->value <= 0 || (side > 0 && 2 * wall->value > side)) {
    obstacle.fault("wall", fmt::format("'{}' is out of range; more than 0 m and at most half the shortest side, {} m",
                                       obstacle.required<std::string>("wall"), side / 2));
  }
}

Obstacle read_obstacle(YamlReader& obstacle, const std::vector<std::string>& materials,
                       const std::vector<Obstacle>& before) {
  Obstacle config;
  config.name = obstacle.required<std::string>("name");
  if (obstacle.has("name")) {
    check_name(obstacle.child("name"), config.name);
    if (std::any_of(before.begin(), before.end(), [&](const Obstacle& other) { return other.name == config.name; })) {
      obstacle.fault("name", fmt::format("'{}' is already the name of an obstacle", config.name));
    }
  }
  read_box(obstacle, config);
  config.material = obstacle.required<std::string>("material");
  if (obstacle.has("material")) {
    place_of(obstacle.child("material"), config.material, "material", materials);
  }
  read_wall(obstacle, config);
  return config;
}

}  // namespace

void read_physics(YamlReader& root, const KnownNames& known, Configuration& configuration) {
  const bool needed = std::holds_alternative<EmbeddedConfig>(configuration.netsim);
  auto physics = needed ? std::make_optional(root.child("physics")) : root.optional_child("physics");
  if (!physics || physics->absent()) {
    return;
  }
  physics->choice<PhysicsType>("type", {{"trajectory", PhysicsType::kTrajectory}});
  TrajectoryConfig config;
  read_materials(*physics, known, config);
  read_tracks(*physics, configuration, config);
  std::vector<std::string> materials = known.materials;
  for (const FixedMaterial& material : config.materials) {
    materials.push_back(material.name);
  }
  for (YamlReader& obstacle : physics->items("obstacles")) {
    config.obstacles.push_back(read_obstacle(obstacle, materials, config.obstacles));
  }
  configuration.physics = std::move(config);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "config/plain_text.h"
#include "gateway/configuration/bodies.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_config.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate {
namespace {

void read_materials(YamlReader& root, const KnownNames& known, WorldConfig& config) {
  constexpr Range<Decibels> kLoss{{0}, {200}, "0 dB to 200 dB"};
  for (auto [name, material] : root.entries("materials")) {
    check_name(material, name);
    if (std::find(known.materials.begin(), known.materials.end(), name) != known.materials.end()) {
      material.fault(fmt::format("'{}' is a built-in material; choose another name", shown(name)));
    }
    config.materials.push_back({name, require_within(material, "loss", kLoss).value_or(Decibels{}).value});
  }
}

std::optional<Vec3> read_corner(YamlReader& box, std::string_view key, const SceneConfig& scene) {
  if (!box.has(key)) {
    box.required<std::string>(key);
    return std::nullopt;
  }
  if (box.child(key).is_map()) {
    return read_place(box, key, scene);
  }
  const auto metres = box.list<Metres>(key);
  if (metres.size() != 3) {
    box.fault(key, fmt::format("has {} numbers; give x, y and z, for example [40m, 20m, 0m]", metres.size()));
    return std::nullopt;
  }
  const Vec3 corner{metres[0].value, metres[1].value, metres[2].value};
  if (!is_bounded(corner)) {
    box.fault(key, fmt::format("is out of range; coordinates lie within {:g} m of the origin", kWorldReach));
    return std::nullopt;
  }
  return corner;
}

std::optional<Box> read_box(YamlReader& obstacle, const SceneConfig& scene) {
  YamlReader box = obstacle.child("box");
  if (box.absent()) {
    return std::nullopt;
  }
  const auto min = read_corner(box, "min", scene);
  const auto max = read_corner(box, "max", scene);
  if (!min || !max) {
    return std::nullopt;
  }
  if (min->x >= max->x || min->y >= max->y || min->z >= max->z) {
    box.fault("is empty; max must be larger than min on every axis");
    return std::nullopt;
  }
  return Box{*min, *max};
}

std::optional<double> read_wall(YamlReader& obstacle, const std::optional<Box>& box) {
  const auto wall = obstacle.optional<Metres>("wall");
  if (!wall) {
    return std::nullopt;
  }
  const double half =
      !box ? std::numeric_limits<double>::infinity()
           : std::min({box->high.x - box->low.x, box->high.y - box->low.y, box->high.z - box->low.z}) / 2;
  if (wall->value <= 0 || wall->value >= half) {
    obstacle.fault("wall",
                   fmt::format("'{}' is out of range; allowed: more than 0 m and less than half the shortest edge{}; "
                               "without `wall` the box is solid",
                               obstacle.required<std::string>("wall"), box ? fmt::format(", {:.6g} m", half) : ""));
  }
  return wall->value;
}

/// The index of a material in the list that obstacles refer to; a built-in one is added when it is first named.
std::uint32_t read_material(YamlReader& obstacle, const KnownNames& known, std::vector<MaterialConfig>& materials) {
  const auto name = obstacle.required<std::string>("material");
  const auto names = names_of(materials);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    return static_cast<std::uint32_t>(found - names.begin());
  }
  std::vector<std::string> all = names;
  std::copy_if(known.materials.begin(), known.materials.end(), std::back_inserter(all),
               [&](const std::string& other) { return std::find(names.begin(), names.end(), other) == names.end(); });
  if (obstacle.has("material") && place_of(obstacle.child("material"), name, "material", all)) {
    materials.push_back({name, std::nullopt});
    return static_cast<std::uint32_t>(names.size());
  }
  return 0;
}

void read_obstacle(YamlReader& obstacle, const KnownNames& known, WorldConfig& physics) {
  ObstacleConfig config;
  config.name = obstacle.required<std::string>("name");
  if (obstacle.has("name")) {
    check_name(obstacle.child("name"), config.name);
    const auto names = names_of(physics.obstacles);
    if (std::find(names.begin(), names.end(), config.name) != names.end()) {
      obstacle.fault("name", fmt::format("'{}' is already the name of an obstacle", shown(config.name)));
    }
  }
  const auto box = read_box(obstacle, physics.scene);
  config.obstacle.box = box.value_or(Box{});
  config.obstacle.material = read_material(obstacle, known, physics.materials);
  config.obstacle.wall_m = read_wall(obstacle, box);
  physics.obstacles.push_back(std::move(config));
}

void read_world(YamlReader& physics, const KnownNames& known, WorldConfig& world) {
  read_materials(physics, known, world);
  for (YamlReader& obstacle : physics.items("obstacles")) {
    read_obstacle(obstacle, known, world);
  }
  lay_buildings(world);
}

// Of bodies; after a fault there may be none.
TrajectoryConfig read_tracks_of(YamlReader& physics, const Configuration& configuration, bool may_stand) {
  const Bodies bodies(configuration.robots);
  const std::vector<Track> tracks = read_tracks(physics, bodies.names(), configuration.world.scene, may_stand);
  return {tracks.size() == bodies.size() ? bodies.spread(tracks) : tracks};
}

void read_trajectory(YamlReader& physics, Configuration& configuration) {
  configuration.physics = read_tracks_of(physics, configuration, false);
}

void read_mavlink(YamlReader& physics, Configuration& configuration) {
  configuration.vehicles = read_vehicles(physics);
  configuration.physics = read_tracks_of(physics, configuration, true);
}

SimulatorConfig read_peer(YamlReader& physics, SimulatorProtocol protocol, const Configuration& configuration) {
  return read_simulator(physics, protocol, run_socket(configuration.name, kPhysicsSocket, RunSide::kGateway),
                        configuration.window);
}

template <SimulatorProtocol kProtocol>
void read_external(YamlReader& physics, Configuration& configuration) {
  SimulatorConfig config = read_peer(physics, kProtocol, configuration);
  if (kProtocol == SimulatorProtocol::kRosNetSim) {
    config.sight_from_los_field = physics.choice<bool>("sight", {{"hops", false}, {"los", true}}, false);
  }
  configuration.external_physics = std::move(config);
}

template <FeedConfig (*kRead)(YamlReader&, const Configuration&)>
void read_feed(YamlReader& physics, Configuration& configuration) {
  configuration.external_physics = kRead(physics, configuration);
}

struct PhysicsType {
  const char* name;
  void (*read)(YamlReader& physics, Configuration& configuration);
};
constexpr std::array kSources = {
    PhysicsType{"trajectory", read_trajectory},
    PhysicsType{"native", read_external<SimulatorProtocol::kNative>},
    PhysicsType{"rosnetsim", read_external<SimulatorProtocol::kRosNetSim>},
    PhysicsType{"dancers", read_external<SimulatorProtocol::kDancers>},
    PhysicsType{"cornet", read_feed<read_cornet>},
    PhysicsType{"cornet2", read_feed<read_cornet2>},
    PhysicsType{"flynetsim", read_feed<read_flynetsim>},
    PhysicsType{"robonetsim", read_feed<read_robonetsim>},
    PhysicsType{"avens", read_feed<read_avens>},
    PhysicsType{"mavlink", read_mavlink},
    PhysicsType{"ros2", read_ros2_physics},
    PhysicsType{"dis", read_dis_physics},
    PhysicsType{"cot", read_feed<read_cot_physics>},
};

}  // namespace

void read_physics(YamlReader& root, const KnownNames& known, Configuration& configuration) {
  const bool needed = std::holds_alternative<EmbeddedConfig>(configuration.netsim);
  auto physics = needed ? std::make_optional(root.child("physics")) : root.optional_child("physics");
  if (physics && !physics->absent()) {
    const std::size_t type = physics->choice<std::size_t>("type", types_of(kSources));
    kSources[type].read(*physics, configuration);
    read_world(*physics, known, configuration.world);
  }
}

}  // namespace hilgate

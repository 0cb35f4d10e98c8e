// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/world_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frame/drop_reason.h"
#include "gateway/daemon/change.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(const Vec3& point) {
  return {point.x, point.y, point.z};
}

Json obstacle_json(const ObstacleConfig& obstacle, const WorldConfig& world) {
  const auto& [box, material, wall_m] = obstacle.obstacle;
  Json json{{"name", obstacle.name},
            {"low_m", point_json(box.low)},
            {"high_m", point_json(box.high)},
            {"material", world.materials[material].name}};
  if (wall_m) {
    json["wall_m"] = *wall_m;
  }
  return json;
}

// Outlines that are drawn.
Json building_json(const GeoBuilding& building) {
  Json rings = Json::array();
  for (const GroundRing& ring : building.rings) {
    Json points = Json::array();
    for (const GroundPoint& point : ring) {
      points.push_back({point.x, point.y});
    }
    rings.push_back(std::move(points));
  }
  return {{"name", building.name},
          {"rings_m", std::move(rings)},
          {"base_m", building.base_m},
          {"top_m", building.top_m},
          {"material", building.material}};
}

Json buildings_json(const SceneConfig& scene) {
  Json buildings = Json::array();
  if (scene.buildings) {
    for (const GeoBuilding& building : scene.surveyed->buildings) {
      buildings.push_back(building_json(building));
    }
  }
  return buildings;
}

// Of every so manieth post, so that a map has at most so many to each side.
Json terrain_json(const HeightGrid& ground) {
  constexpr std::size_t kMostPosts = 160;
  const HeightGrid::Layout& layout = ground.layout();
  const std::size_t every = (std::max(layout.columns, layout.rows) + kMostPosts - 1) / kMostPosts;
  Json heights = Json::array();
  for (std::size_t row = 0; row < layout.rows; row += every) {
    for (std::size_t column = 0; column < layout.columns; column += every) {
      heights.push_back(std::round(ground.heights_m()[row * layout.columns + column] * 10.0) / 10.0);
    }
  }
  return {{"west_m", layout.west_m},
          {"south_m", layout.south_m},
          {"step_m", layout.step_m * static_cast<double>(every)},
          {"columns", (layout.columns + every - 1) / every},
          {"rows", (layout.rows + every - 1) / every},
          {"heights_m", std::move(heights)}};
}

Json track_json(const Track& track) {
  Json points = Json::array();
  for (const Waypoint& waypoint : track) {
    Json point{{"at_s", seconds_of(waypoint.at.time_since_epoch())}, {"position_m", point_json(waypoint.position)}};
    if (waypoint.yaw_rad) {
      point["yaw_rad"] = *waypoint.yaw_rad;
    }
    points.push_back(std::move(point));
  }
  return points;
}

// As check_change() has it: why no key of physics and netsim can change; nothing where they can.
std::optional<std::string> why_world_is_fixed(const Configuration& configuration) {
  if (std::holds_alternative<SimulatorConfig>(configuration.external_physics)) {
    return "an external simulator has the positions (physics)";
  }
  if (std::holds_alternative<FeedConfig>(configuration.external_physics)) {
    return "another program sends the positions (physics)";
  }
  if (configuration.vehicles) {
    return "the positions come from the robots' MAVLink packets (physics)";
  }
  if (is_air_external(configuration)) {
    return "positions of a run with an external network simulator cannot change";
  }
  return std::nullopt;
}

std::optional<std::string> why_robot_is_fixed(const Configuration& configuration, const ConfigDocument& document,
                                              std::size_t robot) {
  if (auto why = why_world_is_fixed(configuration)) {
    return why;
  }
  if (!configuration.physics) {
    return "the configuration has no positions (physics)";
  }
  if (document.moves_by_file(configuration.robots[robot].body)) {
    return "its positions are in a file (physics.file)";
  }
  const std::size_t waypoints = configuration.physics->tracks[robot].size();
  if (waypoints > 1) {
    return fmt::format("it moves along {} waypoints (physics.tracks.{})", waypoints, configuration.robots[robot].body);
  }
  return std::nullopt;
}

void add_fixed(Json& json, const std::optional<std::string>& why) {
  if (why) {
    json["fixed"] = *why;
  }
}

Json robots_json(const Configuration& configuration, const ConfigDocument& document) {
  Json robots = Json::array();
  for (std::size_t i = 0; i < configuration.robots.size(); ++i) {
    const RobotConfig& robot = configuration.robots[i];
    Json json{{"name", robot.name}, {"radio", robot.radio}};
    if (configuration.physics && i < configuration.physics->tracks.size()) {
      json["track"] = track_json(configuration.physics->tracks[i]);
    }
    add_fixed(json, why_robot_is_fixed(configuration, document, i));
    robots.push_back(std::move(json));
  }
  return robots;
}

Json access_points_json(const Configuration& configuration) {
  Json points = Json::array();
  const AccessNetworkConfig* const network = access_network(configuration);
  if (network == nullptr) {
    return points;
  }
  for (const AccessPointConfig& point : network->access_points) {
    if (!point.robot) {
      Json json{{"name", point.name}, {"position_m", point_json(point.position)}};
      add_fixed(json, why_world_is_fixed(configuration));
      points.push_back(std::move(json));
    }
  }
  return points;
}

// Runs of cells of walls, [row from the south, first column, behind the last].
Json walls_json(const GridMap& map) {
  Json walls = Json::array();
  for (std::uint32_t row = 0; row < map.height; ++row) {
    const auto is_wall = [&](std::uint32_t column) { return map.at({column, row}).wall; };
    for (std::uint32_t column = 0; column < map.width; ++column) {
      const std::uint32_t first = column;
      while (column < map.width && is_wall(column)) {
        ++column;
      }
      if (column > first) {
        walls.push_back({row, first, column});
      }
    }
  }
  return walls;
}

Json floors_json(const SurveyedFloors* floors) {
  Json list = Json::array();
  for (std::size_t i = 0; floors != nullptr && i < floors->count(); ++i) {
    const GridMap& map = floors->map(i);
    list.push_back({{"from_m", floors->from_m(i)},
                    {"origin_m", {map.origin_x_m, map.origin_y_m}},
                    {"cell_m", map.cell_m},
                    {"columns", map.width},
                    {"rows", map.height},
                    {"walls", walls_json(map)}});
  }
  return list;
}

}  // namespace

nlohmann::ordered_json world_report(const Configuration& configuration, const ConfigDocument& document,
                                    const SurveyedFloors* floors) {
  Json obstacles = Json::array();
  for (const ObstacleConfig& obstacle : configuration.world.obstacles) {
    Json json = obstacle_json(obstacle, configuration.world);
    add_fixed(json, why_world_is_fixed(configuration));
    obstacles.push_back(std::move(json));
  }
  Json reasons = Json::object();
  for (const DropReasonRow& row : kDropReasonTable) {
    reasons[std::string(row.name)] = row.text;
  }
  Json materials = Json::array();
  for (const Material& material : builtin_materials()) {
    materials.push_back(material.name);
  }
  const auto& origin = configuration.world.scene.origin;
  return {{"origin", origin ? Json{{"latitude", origin->lat_deg}, {"longitude", origin->lon_deg}} : Json()},
          {"obstacles", std::move(obstacles)},
          {"buildings", buildings_json(configuration.world.scene)},
          {"terrain", configuration.world.scene.ground ? terrain_json(*configuration.world.scene.ground) : Json()},
          {"floors", floors_json(floors)},
          {"robots", robots_json(configuration, document)},
          {"access_points", access_points_json(configuration)},
          {"materials", std::move(materials)},
          {"drop_reasons", std::move(reasons)}};
}

}  // namespace hilgate

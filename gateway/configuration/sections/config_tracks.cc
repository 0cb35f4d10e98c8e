// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/place.h"
#include "physics_link/tracklog/laid_tracks.h"

namespace hilgate {
namespace {

Track read_track(YamlReader& items, const SceneConfig& scene) {
  Track track;
  for (YamlReader& item : items.items()) {
    const SimTime at{item.required<Nanoseconds>("at")};
    if (item.has("at") && at < SimTime{}) {
      item.fault("at", fmt::format("'{}' is before the start; allowed: 0s or later", item.required<std::string>("at")));
    } else if (item.has("at") && !track.empty() && at <= track.back().at) {
      item.fault("at", fmt::format("'{}' is not later than the point before", item.required<std::string>("at")));
    }
    const Vec3 place = read_place(item, "position", scene);
    const auto yaw = item.optional<Radians>("yaw");
    track.push_back({.at = at, .position = place, .yaw_rad = yaw ? std::optional(yaw->value) : std::nullopt});
  }
  if (items.is_sequence() && track.empty()) {
    items.fault("is empty; give at least one point");
  }
  return track;
}

/// The tracks that are written out, by `robots`; those of the others stay empty.
std::vector<Track> read_inline(YamlReader& tracks, const std::vector<std::string>& robots, const SceneConfig& scene) {
  std::vector<Track> all(robots.size());
  for (auto& [name, track] : tracks.entries()) {
    if (const auto robot = place_of(track, name, "robot", robots)) {
      all[*robot] = read_track(track, scene);
    }
  }
  return all;
}

std::vector<Track> read_start(YamlReader& start, const std::vector<std::string>& robots, const SceneConfig& scene) {
  std::vector<Track> all(robots.size(), Track{Waypoint{}});
  for (auto& [name, entry] : start.entries()) {
    if (const auto robot = place_of(entry, name, "robot", robots)) {
      all[*robot] = {Waypoint{.at = SimTime{}, .position = read_place(start, name, scene)}};
    }
  }
  for (const std::string& robot : robots) {
    if (start.is_map() && !start.has(robot)) {
      start.fault(fmt::format("misses the position of robot '{}'", robot));
    }
  }
  return all;
}

/// `logged`: those of `robots` whose tracks the file has.
LayRules read_lay_rules(YamlReader& physics, const std::vector<std::string>& robots,
                        const std::vector<std::string>& logged, const std::optional<mavlink::Geodetic>& origin) {
  LayRules rules{.origin = origin};
  if (auto names = physics.optional_child("names")) {
    for (auto& [name, track] : names->entries()) {
      const auto robot = place_of(track, name, "robot", robots);
      const auto named = track.as<std::string>();
      if (robot && std::ranges::find(logged, name) == logged.end()) {
        track.fault(fmt::format("robot '{}' has its waypoints in 'tracks'; remove one of the two", shown(name)));
      } else if (robot && !rules.robots.emplace(named, name).second) {
        track.fault(fmt::format("'{}' is already the track of robot '{}'", named, rules.robots[named]));
      }
    }
  }
  if (const auto start = physics.optional<std::string>("time")) {
    try {
      rules.start = LogStart::parse(*start);
    } catch (const std::invalid_argument& error) {
      physics.fault("time", error.what());
    }
  }
  return rules;
}

/// By `logged`.
std::vector<Track> read_file(YamlReader& physics, const std::vector<std::string>& robots,
                             const std::vector<std::string>& logged, const std::optional<mavlink::Geodetic>& origin) {
  const auto path = physics.file_of("file");
  const LayRules rules = read_lay_rules(physics, robots, logged, origin);
  if (logged.empty()) {
    physics.fault("file", "has no robot left: 'tracks' has the waypoints of every one; remove one of the two");
    return {};
  }
  try {
    return read_tracks_file(path.string(), logged, rules);
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      physics.fault(fault);
    }
    return {};
  }
}

}  // namespace

Vec3 read_position(YamlReader& point, std::string_view key) {
  if (!point.has(key)) {
    point.required<std::string>(key);
    return {};
  }
  const auto metres = point.list<Metres>(key);
  if (metres.size() != 3) {
    point.fault(key, fmt::format("has {} numbers; give x, y and z, for example [0m, 0m, 10m]", metres.size()));
    return {};
  }
  const Vec3 place{metres[0].value, metres[1].value, metres[2].value};
  if (!is_bounded(place)) {
    point.fault(key, fmt::format("is out of range; coordinates lie within {:g} m of the origin", kWorldReach));
    return {};
  }
  return place;
}

Vec3 read_place(YamlReader& map, std::string_view key, const SceneConfig& scene) {
  auto place = map.has(key) ? map.optional_child(key) : std::nullopt;
  if (!place || !place->is_map()) {
    return read_position(map, key);
  }
  constexpr Range<double> kLatitude{-90, 90, "-90 to 90 degrees, north positive"};
  constexpr Range<double> kLongitude{-180, 180, "-180 to 180 degrees, east positive"};
  constexpr double kFarthest = 1e6;  // m; farther away from the origin, one of the two is a mistake
  const auto latitude = require_within(*place, "latitude", kLatitude);
  const auto longitude = require_within(*place, "longitude", kLongitude);
  const auto altitude = place->optional<Metres>("altitude");
  const auto height = place->optional<Metres>("height");
  if (!scene.origin || !latitude || !longitude) {
    if (!scene.origin) {
      place->fault("needs the origin of x, y and z: physics.origin, or physics.scene.origin");
    }
    return {};
  }
  if (altitude.has_value() == height.has_value()) {
    place->fault("needs one of 'altitude', above sea level, and 'height', above ground");
    return {};
  }
  if (altitude && !scene.has_altitude) {
    place->fault("altitude", "needs the `altitude` of the origin");
  }
  const double alt_m = altitude ? altitude->value : scene.origin->alt_m;
  Vec3 at = enu_of({.lat_deg = *latitude, .lon_deg = *longitude, .alt_m = alt_m}, *scene.origin);
  if (height) {
    at.z = height->value + (scene.ground ? scene.ground->at(at.x, at.y) : 0);
  }
  if (!(std::hypot(at.x, at.y, at.z) <= kFarthest)) {
    place->fault(fmt::format("is {:.0f} km away from the origin, {:g}, {:g}; are latitude and longitude swapped?",
                             std::hypot(at.x, at.y, at.z) / 1000, scene.origin->lat_deg, scene.origin->lon_deg));
    return {};
  }
  return at;
}

AntennaMount read_antenna_mount(YamlReader& map) {
  AntennaMount mount;
  if (auto antenna = map.optional_child("antenna")) {
    mount.offset = antenna->has("offset") ? read_position(*antenna, "offset") : Vec3{};
    const auto angle = [&antenna](const char* key) { return antenna->optional<Radians>(key, Radians{}).value; };
    const double roll = angle("roll");
    const double pitch = angle("pitch");
    mount.rotation = from_rpy(roll, pitch, angle("yaw"));
    if (auto body = antenna->optional_child("body_loss")) {
      constexpr Range<Decibels> kLoss{{0}, {60}, "0 dB to 60 dB"};
      mount.body_loss.lower = read_within(*body, "lower", kLoss).value_or(Decibels{});
      mount.body_loss.upper = read_within(*body, "upper", kLoss).value_or(Decibels{});
    }
  }
  return mount;
}

std::vector<Track> read_tracks(YamlReader& physics, const std::vector<std::string>& robots, const SceneConfig& scene,
                               bool may_stand) {
  if (may_stand && physics.has("start")) {
    YamlReader start = physics.child("start");
    return read_start(start, robots, scene);
  }
  const bool has_file = physics.has("file");
  auto tracks = physics.optional_child("tracks");
  if (!has_file && !tracks) {
    physics.fault("misses the key 'tracks' or 'file' with every robot's waypoints");
    return {};
  }
  std::vector<Track> all = tracks ? read_inline(*tracks, robots, scene) : std::vector<Track>(robots.size());
  std::vector<std::string> others;
  std::ranges::copy_if(robots, std::back_inserter(others),
                       [&tracks](const std::string& robot) { return !tracks || !tracks->has(robot); });
  if (!has_file) {
    for (const std::string& robot : others) {
      if (tracks->is_map()) {
        tracks->fault(fmt::format("misses a track for robot '{}'", robot));
      }
    }
    return all;
  }
  const std::vector<Track> logged = read_file(physics, robots, others, scene.origin);
  for (std::size_t i = 0; i < logged.size(); ++i) {
    all[static_cast<std::size_t>(std::ranges::find(robots, others[i]) - robots.begin())] = logged[i];
  }
  return all;
}

}  // namespace hilgate

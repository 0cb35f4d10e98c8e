// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/rotation.h"
#include "physics_link/tracklog/laid_tracks.h"

namespace hilgate {
namespace {

Track read_track(YamlReader& items) {
  Track track;
  for (YamlReader& item : items.items()) {
    const SimTime at{item.required<Nanoseconds>("at")};
    if (item.has("at") && at < SimTime{}) {
      item.fault("at", fmt::format("'{}' is before the start; allowed: 0s or later", item.required<std::string>("at")));
    } else if (item.has("at") && !track.empty() && at <= track.back().at) {
      item.fault("at", fmt::format("'{}' is not later than the point before", item.required<std::string>("at")));
    }
    const Vec3 place = read_position(item, "position");
    const auto yaw = item.optional<Radians>("yaw");
    track.push_back({.at = at, .position = place, .yaw_rad = yaw ? std::optional(yaw->value) : std::nullopt});
  }
  if (items.is_sequence() && track.empty()) {
    items.fault("is empty; give at least one point");
  }
  return track;
}

std::vector<Track> read_inline(YamlReader& tracks, const std::vector<std::string>& robots) {
  std::vector<Track> all(robots.size());
  auto entries = tracks.entries();
  for (auto& [name, track] : entries) {
    if (const auto robot = place_of(track, name, "robot", robots)) {
      all[*robot] = read_track(track);
    }
  }
  for (const std::string& robot : robots) {
    if (tracks.is_map() && !tracks.has(robot)) {
      tracks.fault(fmt::format("misses a track for robot '{}'", robot));
    }
  }
  return all;
}

std::vector<Track> read_start(YamlReader& start, const std::vector<std::string>& robots) {
  std::vector<Track> all(robots.size(), Track{Waypoint{}});
  for (auto& [name, entry] : start.entries()) {
    if (const auto robot = place_of(entry, name, "robot", robots)) {
      all[*robot] = {Waypoint{.at = SimTime{}, .position = read_position(start, name)}};
    }
  }
  for (const std::string& robot : robots) {
    if (start.is_map() && !start.has(robot)) {
      start.fault(fmt::format("misses the position of robot '{}'", robot));
    }
  }
  return all;
}

LayRules read_lay_rules(YamlReader& physics, const std::vector<std::string>& robots,
                        const std::optional<mavlink::Geodetic>& origin) {
  LayRules rules{.origin = origin};
  if (auto names = physics.optional_child("names")) {
    for (auto& [name, track] : names->entries()) {
      const auto robot = place_of(track, name, "robot", robots);
      const auto named = track.as<std::string>();
      if (robot && !rules.robots.emplace(named, name).second) {
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

std::vector<Track> read_file(YamlReader& physics, const std::vector<std::string>& robots,
                             const std::optional<mavlink::Geodetic>& origin) {
  const auto path = physics.file_of("file");
  const LayRules rules = read_lay_rules(physics, robots, origin);
  try {
    return read_tracks_file(path.string(), robots, rules);
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

AntennaMount read_antenna_mount(YamlReader& map) {
  AntennaMount mount;
  if (auto antenna = map.optional_child("antenna")) {
    mount.offset = antenna->has("offset") ? read_position(*antenna, "offset") : Vec3{};
    const auto angle = [&antenna](const char* key) { return antenna->optional<Radians>(key, Radians{}).value; };
    const double roll = angle("roll");
    const double pitch = angle("pitch");
    mount.rotation = from_rpy(roll, pitch, angle("yaw"));
  }
  return mount;
}

std::vector<Track> read_tracks(YamlReader& physics, const std::vector<std::string>& robots,
                               const std::optional<mavlink::Geodetic>& origin, bool may_stand) {
  if (may_stand && physics.has("start")) {
    YamlReader start = physics.child("start");
    return read_start(start, robots);
  }
  const bool has_file = physics.has("file");
  auto tracks = physics.optional_child("tracks");
  if (has_file == tracks.has_value()) {
    physics.fault("misses the key 'tracks' or 'file' with every robot's waypoints");
    return {};
  }
  return has_file ? read_file(physics, robots, origin) : read_inline(*tracks, robots);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "physics_link/trajectory/track.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "config/config_file.h"
#include "config/nearest.h"
#include "config/plain_text.h"
#include "config/quantity.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/place.h"

namespace hilgate {
namespace {

constexpr std::string_view kHeader = "t_s,robot,x_m,y_m,z_m";

double seconds(SimTime at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

/// One line cut at its commas; empty when there are not exactly five.
std::vector<std::string> five_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields.size() == 5 ? fields : std::vector<std::string>{};
}

Pose posed(const Vec3& place, std::optional<double> yaw_rad) {
  return yaw_rad ? Pose{place, from_rpy(0, 0, *yaw_rad), true} : Pose{.position = place, .orientation = {}};
}

bool is_same_pose(const Waypoint& a, const Waypoint& b) {
  return a.position == b.position && a.yaw_rad == b.yaw_rad;
}

class TracksReader {
 public:
  TracksReader(std::string file, std::span<const std::string> robots)
      : file_(std::move(file)), robots_(robots), tracks_(robots.size()) {}

  std::vector<Track> read();

 private:
  void read_header(std::string line);
  void read_line(const std::string& line);
  void add(std::size_t robot, const Waypoint& waypoint);
  void fault(std::string text) { faults_.push_back({file_, line_, "", std::move(text)}); }

  std::string file_;
  std::span<const std::string> robots_;
  std::vector<Track> tracks_;
  std::vector<Fault> faults_;
  int line_ = 0;
};

std::vector<Track> TracksReader::read() {
  std::istringstream stream(read_config_file(file_));
  for (std::string line; std::getline(stream, line);) {
    ++line_;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (line_ == 1) {
      read_header(line);
    } else if (!line.empty()) {
      read_line(line);
    }
  }
  line_ = 0;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].empty() && faults_.empty()) {
      fault(fmt::format("has no line for robot '{}'", robots_[i]));
    }
  }
  if (!faults_.empty()) {
    throw ConfigError(std::move(faults_));
  }
  return std::move(tracks_);
}

void TracksReader::read_header(std::string line) {
  if (line != kHeader) {
    fault(fmt::format("the header is '{}'; it must be '{}'", shown(line), kHeader));
  }
}

void TracksReader::read_line(const std::string& line) {
  const std::vector<std::string> fields = five_fields(line);
  if (fields.empty()) {
    fault(fmt::format("'{}' does not have the five fields {}", shown(line), kHeader));
    return;
  }
  const auto robot = std::find(robots_.begin(), robots_.end(), fields[1]);
  if (robot == robots_.end()) {
    fault(fmt::format("unknown robot '{}'; {}", shown(fields[1]), hint_for(fields[1], robots_)));
    return;
  }
  try {
    const double at = parse_text<double>(fields[0]);
    if (at < 0 || at > 9e9) {
      fault(fmt::format("time '{}' is out of range; allowed: 0 to 9e9 seconds", shown(fields[0])));
      return;
    }
    const Vec3 place{parse_text<double>(fields[2]), parse_text<double>(fields[3]), parse_text<double>(fields[4])};
    if (!is_bounded(place)) {
      fault(fmt::format("the place {}, {}, {} is out of range; coordinates lie within {:g} m", place.x, place.y,
                        place.z, kWorldReach));
      return;
    }
    add(static_cast<std::size_t>(robot - robots_.begin()),
        {.at = SimTime{Nanoseconds{std::llround(at * 1e9)}}, .position = place});
  } catch (const std::invalid_argument& error) {
    fault(error.what());
  }
}

void TracksReader::add(std::size_t robot, const Waypoint& waypoint) {
  Track& track = tracks_[robot];
  if (!track.empty() && waypoint.at <= track.back().at) {
    fault(fmt::format("time {} s of '{}' is not after its previous time, {} s", seconds(waypoint.at), robots_[robot],
                      seconds(track.back().at)));
    return;
  }
  track.push_back(waypoint);
}

}  // namespace

TrackCursor::TrackCursor(Track track, const std::string& robot) : track_(std::move(track)) {
  if (track_.empty()) {
    throw std::runtime_error(fmt::format("the track of '{}' is empty; give at least one waypoint", robot));
  }
  for (std::size_t i = 0; i < track_.size(); ++i) {
    const Vec3& p = track_[i].position;
    if (!is_bounded(p)) {
      throw std::runtime_error(fmt::format(
          "waypoint {} of '{}' has a coordinate that is {}: {}, {}, {}", i, robot,
          std::isfinite(p.x + p.y + p.z) ? "more than 1e8 m from the origin" : "not finite", p.x, p.y, p.z));
    }
    if (i > 0 && track_[i].at <= track_[i - 1].at) {
      throw std::runtime_error(fmt::format("waypoint {} of '{}' is at {} s, not after the previous one at {} s", i,
                                           robot, seconds(track_[i].at), seconds(track_[i - 1].at)));
    }
  }
}

SimTime TrackCursor::still_until(SimTime when) const {
  const auto ahead = std::upper_bound(track_.begin(), track_.end(), when,
                                      [](SimTime at, const Waypoint& point) { return at < point.at; });
  if (ahead != track_.end() && ahead != track_.begin() && !is_same_pose(*std::prev(ahead), *ahead)) {
    return when;
  }
  const auto moves =
      std::adjacent_find(ahead, track_.end(), [](const Waypoint& a, const Waypoint& b) { return !is_same_pose(a, b); });
  return moves == track_.end() ? SimTime::max() : moves->at;
}

Pose TrackCursor::pose_at(SimTime when) {
  while (next_ < track_.size() && track_[next_].at <= when) {
    ++next_;
  }
  const Waypoint& from = track_[next_ - 1];
  if (next_ == track_.size() || when <= from.at) {
    return posed(from.position, from.yaw_rad);
  }
  const Waypoint& to = track_[next_];
  const double part = static_cast<double>((when - from.at).count()) / static_cast<double>((to.at - from.at).count());
  return posed(on_line(from.position, to.position, part),
               from.yaw_rad && to.yaw_rad ? std::lerp(*from.yaw_rad, *to.yaw_rad, part) : from.yaw_rad);
}

std::vector<Track> read_tracks_csv(const std::string& file, std::span<const std::string> robots) {
  return TracksReader(file, robots).read();
}

}  // namespace hilgate

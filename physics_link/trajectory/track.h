// SPDX-License-Identifier: Apache-2.0
// Where a robot is over time: waypoints, straight lines between them, standing still before the first and after the
// last.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/time.h"
#include "physics_link/scene.h"

namespace hilgate {

struct Waypoint {
  SimTime at{};
  Vec3 position;
  std::optional<double> yaw_rad = {};  // about z from x; absent: the orientation is unknown
};
/// By time, strictly increasing; at least one waypoint.
using Track = std::vector<Waypoint>;

/// A track, read at instants that do not go backwards.
class TrackCursor {
 public:
  /// Throws std::runtime_error for an empty track, for times that do not increase and for coordinates that are no
  /// numbers; `robot` names it in the error.
  TrackCursor(Track track, const std::string& robot);
  Vec3 at(SimTime when) { return pose_at(when).position; }
  /// Yaws turn evenly from one waypoint to the next, by their numbers: from 0 to 720 degrees twice round.
  Pose pose_at(SimTime when);
  /// Until when it stands as it stood at `when`, the instant read last; `when` itself while it moves or turns.
  [[nodiscard]] SimTime still_until(SimTime when) const;

 private:
  Track track_;
  std::size_t next_ = 1;  // first waypoint not yet reached
};

/// Reads a CSV file with the header `t_s,robot,x_m,y_m,z_m`: seconds from the start of the run, the robot's name,
/// metres. Lines of different robots may be mixed; times increase per robot. Every one of `robots` needs a line.
/// Returns the tracks in the order of `robots`. Throws ConfigError with file:line for each fault.
std::vector<Track> read_tracks_csv(const std::string& file, std::span<const std::string> robots);

}  // namespace hilgate

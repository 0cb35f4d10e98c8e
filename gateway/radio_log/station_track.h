// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "physics_link/tracklog/track_log.h"
#include "rf_profiles/fit/log_columns.h"
#include "rf_profiles/fit/measured_row.h"

namespace hilgate {

/// A vehicle's way past a fixed station, in metres east and north of the station and above the ground. The ground of
/// positions on the earth is flat, at the altitude of the first position.
class StationTrack {
 public:
  /// `station`: latitude, longitude and the altitude of its antenna as the log has them; x, y and height of a log in
  /// metres. Without it the station is at the first position; without a height its antenna is 1.5 m above the ground.
  /// `name`: of the track; empty: the only one. Throws ConfigError for a track that is not there, more than one without
  /// a name, and a station out of range or more than 0.1 m below the ground.
  StationTrack(const TrackLog& log, const std::string& name, const std::optional<OtherEnd>& station);

  /// Puts the place at `at`, on the log's clock, into `row`, on straight lines between positions, and counts what the
  /// vehicle has moved since the row before. False, and nothing done: before the first position, after the last,
  /// between two that are more than 5 s apart, and within 5 m, where the error of positions on the earth is as large.
  bool place(Nanoseconds at, MeasuredRow& row);

  [[nodiscard]] Nanoseconds first() const { return points_.front().at; }
  /// Where the station is and what that follows from; what place() has refused so far. A sentence each.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Point {
    Nanoseconds at{};
    Vec3 place;
  };
  void put_on_earth(const LogTrack& track, const std::optional<OtherEnd>& station);
  void put_in_metres(const LogTrack& track, const std::optional<OtherEnd>& station);
  void check_station(const std::string& file) const;

  std::vector<Point> points_;
  double station_m_ = 0;  // its antenna's height
  bool on_earth_ = false;
  std::string station_text_;
  std::optional<Vec3> last_{};
  double moved_m_ = 0;
  std::size_t without_place_ = 0, too_near_ = 0;
};

}  // namespace hilgate

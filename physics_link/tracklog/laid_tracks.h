// SPDX-License-Identifier: Apache-2.0
// Logs as tracks of robots: names of a run, metres of its scene, simulation time.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "physics_link/mavlink/geodetic.h"
#include "physics_link/tracklog/track_log.h"
#include "physics_link/trajectory/track.h"

namespace hilgate {

/// When simulation time is 0.
struct LogStart {
  enum class Kind : std::uint8_t {
    kFirst,     // at the first position of all tracks
    kAbsolute,  // when the clock of the file is 0
    kInstant,   // at `utc`; positions before it are left out
  } kind = Kind::kFirst;
  Nanoseconds utc{};  // since 1970

  /// "first", "absolute", or an instant as 2024-05-01T10:00:00Z. Throws std::invalid_argument for other text.
  static LogStart parse(const std::string& text);
};

struct LayRules {
  std::map<std::string, std::string, std::less<>>
      robots{};                               // by the name of the track; empty: all tracks, as they are named
  std::optional<LogStart> start{};            // absent: kAbsolute for simulations, kFirst for others
  std::optional<mavlink::Geodetic> origin{};  // absent: the first position of the first track on the earth
};

struct LaidTrack {
  std::string robot;
  Track track;
};
struct LaidTracks {
  std::vector<LaidTrack> tracks;              // by robot's name, each once
  std::optional<mavlink::Geodetic> origin{};  // absent: no position is on the earth
  std::vector<std::string> notes;
};

/// Lays the tracks of one log, or of several that began at the same time by UTC or by simulation time. Positions on the
/// earth become metres east, north and up of the origin. Throws ConfigError: a track that `robots` names is missing, a
/// name is given twice, clocks that cannot be compared, times outside [0, kLongestRun], an origin for positions
/// in metres.
LaidTracks lay_tracks(std::span<const TrackLog> logs, const LayRules& rules);

/// The tracks of `robots` in their order, from a file in any format, read_tracks_csv()'s among them. Rules that
/// the file has no use for, and robots without a track, are faults. Throws ConfigError.
std::vector<Track> read_tracks_file(const std::string& file, std::span<const std::string> robots,
                                    const LayRules& rules);

/// As read_tracks_csv() reads it: times to 1 ns, metres to 0.1 mm.
std::string tracks_csv(const LaidTracks& laid);

/// A name that a robot may have: other characters than letters, digits, - and _ become _.
std::string robot_name(std::string_view name);

}  // namespace hilgate

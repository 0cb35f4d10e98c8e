// SPDX-License-Identifier: Apache-2.0
// What the files of autopilots, receivers and other simulators say about where things were: tracks by name, on the
// clock and in the coordinates of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "config/config_file.h"
#include "physics_link/mavlink/geodetic.h"
#include "physics_link/mavlink/messages.h"
#include "physics_link/scene.h"

namespace hilgate {

/// A position on the earth, or metres in the file's own frame, x, y, z with z up.
using LogPlace = std::variant<mavlink::Geodetic, Vec3>;

struct LogPoint {
  Nanoseconds at{};  // on the file's clock
  LogPlace place;
};

struct LogTrack {
  std::string name;
  std::vector<LogPoint> points;  // by time, strictly increasing; at least one
};

/// A RADIO_STATUS, on the clock of the file.
struct RadioSample {
  Nanoseconds at{};
  mavlink::RadioStatus status{};
};

/// What RADIO_STATUS messages of a log say, by the radios' own scales.
struct LogRadio {
  std::vector<RadioSample> samples{};  // in the order of the file
  mavlink::RadioStatus least{};
  mavlink::RadioStatus most{.rssi = 0, .remrssi = 0, .txbuf = 0, .noise = 0, .remnoise = 0};
};

/// What the clock of a file counts from.
enum class LogClock : std::uint8_t {
  kUtc,         // since 1970-01-01, without leap seconds
  kBoot,        // since the autopilot started
  kSimulation,  // since the simulation began, as ours
};

struct TrackLog {
  std::string file;
  std::string format;  // for people: "ULog (PX4)"
  LogClock clock = LogClock::kUtc;
  std::optional<Nanoseconds> utc_of_zero{};  // UTC when the file's clock was 0; absent: not known
  std::vector<LogTrack> tracks;              // in the order of their first positions; at least one
  std::optional<LogRadio> radio{};
  std::vector<std::string> notes;  // what was left out, a line each
};

/// Collects a log while its file is read: checks places and times, counts what is left out, keeps the first faults.
class LogBuilder {
 public:
  /// Faults name lines, or else byte offsets.
  enum class Counts : std::uint8_t { kLines, kBytes };
  LogBuilder(std::string file, std::string format, LogClock clock, Counts counts);

  /// A position that the file has at line or byte `spot`. A latitude, longitude or coordinate out of range, or a time
  /// before the track's previous one, is a fault; a second position of one instant is left out.
  void add(const std::string& track, Nanoseconds at, const LogPlace& place, std::size_t spot);
  /// A RADIO_STATUS that the file has at line or byte `spot`. More than there may be positions are a fault.
  void add_radio(Nanoseconds at, const mavlink::RadioStatus& status, std::size_t spot);
  void set_utc_of_zero(Nanoseconds utc) { log_.utc_of_zero = utc; }
  /// The clock has no date.
  void forget_utc() { log_.utc_of_zero.reset(); }
  /// Counts something that is left out; `what` follows "left out: 3 ".
  void leave_out(const std::string& what, std::size_t count = 1) { left_out_[what] += count; }
  void note(std::string text) { log_.notes.push_back(std::move(text)); }
  void fault(std::size_t spot, const std::string& text);

  /// Nothing more needs to be read: there are as many faults as are reported.
  [[nodiscard]] bool full() const { return faults_.size() >= kMostFaults; }
  /// The log. Throws ConfigError for its faults; without any track the fault is `nothing`, with what was left out.
  TrackLog finish(const std::string& nothing);

 private:
  static constexpr std::size_t kMostFaults = 10;
  static constexpr std::size_t kMostTracks = 1024;        // kMostRobots
  static constexpr std::size_t kMostPoints = 10'000'000;  // of all tracks; and of RADIO_STATUS
  LogTrack* track_named(const std::string& name, std::size_t spot);
  [[nodiscard]] bool is_crowded(std::size_t count, std::string_view what, std::size_t spot);
  [[nodiscard]] bool is_placed(const LogPlace& place, std::size_t spot);

  TrackLog log_;
  Counts counts_;
  std::map<std::string, std::size_t, std::less<>> indices_;  // of tracks, by name
  std::map<std::string, std::size_t> left_out_;
  std::vector<Fault> faults_;
  std::size_t points_ = 0;
};

/// `at` in seconds, for messages.
std::string seconds_text(Nanoseconds at);
/// What lines and elements may have around their text, for trimmed().
inline constexpr std::string_view kLogBlanks = " \t\r\n";

/// What a log has, for people: tracks with their positions, times, extents and speeds, the radio, what was left out.
std::string log_report_text(const TrackLog& log);
/// The same for programs.
std::string log_report_json(const TrackLog& log);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "physics_link/tracklog/laid_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "config/nearest.h"
#include "config/plain_text.h"
#include "host/plain_file.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/tracklog/log_file.h"
#include "physics_link/tracklog/log_time.h"

namespace hilgate {
namespace {

[[noreturn]] void refuse(const std::string& file, std::string text) {
  throw ConfigError({{file, 0, "", std::move(text)}});
}

/// A track on its way into a run.
struct ChosenTrack {
  const TrackLog* log = nullptr;
  const LogTrack* track = nullptr;
  std::string robot;
};

std::vector<std::string> names_in(std::span<const TrackLog> logs) {
  std::vector<std::string> names;
  for (const TrackLog& log : logs) {
    for (const LogTrack& track : log.tracks) {
      names.push_back(track.name);
    }
  }
  return names;
}

std::vector<ChosenTrack> chosen_tracks(std::span<const TrackLog> logs, const LayRules& rules) {
  std::vector<ChosenTrack> chosen;
  std::set<std::string, std::less<>> found;
  for (const TrackLog& log : logs) {
    for (const LogTrack& track : log.tracks) {
      const auto named = rules.robots.find(track.name);
      if (rules.robots.empty()) {
        chosen.push_back({&log, &track, robot_name(track.name)});
      } else if (named != rules.robots.end()) {
        chosen.push_back({&log, &track, named->second});
        found.insert(track.name);
      }
    }
  }
  for (const auto& [name, robot] : rules.robots) {
    if (!found.contains(name)) {
      refuse(logs.front().file,
             fmt::format("has no track '{}' for robot '{}'; {}", shown(name), robot, hint_for(name, names_in(logs))));
    }
  }
  std::ranges::stable_sort(chosen, {}, &ChosenTrack::robot);
  const auto twice = std::ranges::adjacent_find(chosen, {}, &ChosenTrack::robot);
  if (twice != chosen.end()) {
    refuse(std::next(twice)->log->file,
           fmt::format("has a second track for robot '{}'; the first is '{}' of {}; name the robots of the tracks",
                       twice->robot, shown(twice->track->name), twice->log->file));
  }
  return chosen;
}

/// What is added to times of each log so that those of all logs compare.
class CommonClock {
 public:
  explicit CommonClock(std::span<const TrackLog> logs)
      : by_utc_(std::ranges::all_of(logs, [](const TrackLog& log) { return log.utc_of_zero.has_value(); })) {
    const bool simulated =
        std::ranges::all_of(logs, [](const TrackLog& log) { return log.clock == LogClock::kSimulation; });
    if (logs.size() > 1 && !by_utc_ && !simulated) {
      const auto without = std::ranges::find_if(logs, [](const TrackLog& log) { return !log.utc_of_zero; });
      refuse(without->file,
             "does not say when it was by UTC, so that its times do not compare with those of other logs; "
             "import it alone");
    }
  }
  [[nodiscard]] Nanoseconds common(const TrackLog& log, Nanoseconds at) const {
    return by_utc_ ? at + *log.utc_of_zero : at;
  }
  [[nodiscard]] bool by_utc() const { return by_utc_; }

 private:
  bool by_utc_;
};

/// The time of the common clock that is 0 of simulation time.
Nanoseconds zero_of(const std::vector<ChosenTrack>& chosen, const CommonClock& clock, const LayRules& rules) {
  const TrackLog& log = *chosen.front().log;
  const LogStart start = rules.start.value_or(
      LogStart{log.clock == LogClock::kSimulation ? LogStart::Kind::kAbsolute : LogStart::Kind::kFirst});
  switch (start.kind) {
    case LogStart::Kind::kAbsolute:
      return clock.common(log, Nanoseconds{0});
    case LogStart::Kind::kInstant:
      if (!clock.by_utc()) {
        refuse(log.file, "does not say when it was by UTC; take the time `first` or `absolute`");
      }
      return start.utc;
    case LogStart::Kind::kFirst:
      break;
  }
  Nanoseconds first = Nanoseconds::max();
  for (const ChosenTrack& each : chosen) {
    first = std::min(first, clock.common(*each.log, each.track->points.front().at));
  }
  return first;
}

class Layer {
 public:
  Layer(std::span<const TrackLog> logs, const LayRules& rules)
      : rules_(rules), clock_(logs), chosen_(chosen_tracks(logs, rules)), zero_(zero_of(chosen_, clock_, rules)) {
    laid_.origin = origin(logs);
  }

  LaidTracks lay() {
    for (const ChosenTrack& each : chosen_) {
      lay(each);
    }
    if (before_ > 0) {
      laid_.notes.push_back(fmt::format("left out: {} positions before the time that is 0", before_));
    }
    return std::move(laid_);
  }

 private:
  [[nodiscard]] static bool is_on_earth(const ChosenTrack& each) {
    return std::holds_alternative<mavlink::Geodetic>(each.track->points.front().place);
  }

  std::optional<mavlink::Geodetic> origin(std::span<const TrackLog> logs) const {
    const auto earthly = std::ranges::find_if(chosen_, is_on_earth);
    const auto local = std::ranges::find_if(chosen_, [](const ChosenTrack& each) { return !is_on_earth(each); });
    if (local != chosen_.end() && (earthly != chosen_.end() || rules_.origin)) {
      refuse(local->log->file,
             fmt::format("has positions in metres of a frame of its own, which do not go together with {}",
                         rules_.origin ? "an origin on the earth" : "the positions on the earth of other tracks"));
    }
    if (earthly == chosen_.end()) {
      return std::nullopt;
    }
    if (rules_.origin) {
      return rules_.origin;
    }
    for (const TrackLog& log : logs) {  // the first by the files, not by the robots' names
      for (const LogTrack& track : log.tracks) {
        const bool taken = std::ranges::any_of(chosen_, [&](const ChosenTrack& each) { return each.track == &track; });
        if (taken) {
          return std::get<mavlink::Geodetic>(track.points.front().place);
        }
      }
    }
    return std::nullopt;
  }

  void lay(const ChosenTrack& each) {
    LaidTrack laid{each.robot, {}};
    laid.track.reserve(each.track->points.size());
    for (const LogPoint& point : each.track->points) {
      const Nanoseconds at = clock_.common(*each.log, point.at) - zero_;
      if (at < Nanoseconds{0} && rules_.start && rules_.start->kind == LogStart::Kind::kInstant) {
        ++before_;
        continue;
      }
      laid.track.push_back({.at = time_of(each, at), .position = place_of(each, point.place)});
    }
    if (laid.track.empty()) {
      refuse(each.log->file, fmt::format("'{}' has no position after the time that is 0", shown(each.track->name)));
    }
    laid_.tracks.push_back(std::move(laid));
  }

  static SimTime time_of(const ChosenTrack& each, Nanoseconds at) {
    const auto time = bounded_time(at.count());
    if (!time) {
      refuse(each.log->file, fmt::format("'{}' has a position at {}, which is no simulation time; allowed: 0 to 1e9 s; "
                                         "take the time `first`, or an instant",
                                         shown(each.track->name), seconds_text(at)));
    }
    return *time;
  }

  [[nodiscard]] Vec3 place_of(const ChosenTrack& each, const LogPlace& place) const {
    const auto* geodetic = std::get_if<mavlink::Geodetic>(&place);
    const Vec3 at = geodetic == nullptr ? std::get<Vec3>(place) : mavlink::enu_of(*geodetic, *laid_.origin);
    if (!is_bounded(at)) {
      refuse(each.log->file, fmt::format("'{}' has a place that is {}", shown(each.track->name), unbounded_text(at)));
    }
    return at;
  }

  const LayRules& rules_;
  CommonClock clock_;
  std::vector<ChosenTrack> chosen_;
  Nanoseconds zero_;
  LaidTracks laid_;
  std::size_t before_ = 0;
};

/// The rules with the names that a configuration leaves out: a log with one track is that of the only robot, and others
/// have the robots' names.
LayRules named_rules(const TrackLog& log, std::span<const std::string> robots, LayRules rules) {
  std::set<std::string, std::less<>> named;
  for (const auto& [name, robot] : rules.robots) {
    named.insert(robot);
  }
  for (const std::string& robot : robots) {
    if (named.contains(robot)) {
      continue;
    }
    const bool only = robots.size() == 1 && log.tracks.size() == 1;
    rules.robots.emplace(only ? log.tracks.front().name : robot, robot);
  }
  return rules;
}

}  // namespace

LogStart LogStart::parse(const std::string& text) {
  if (text == "first") {
    return {Kind::kFirst};
  }
  if (text == "absolute") {
    return {Kind::kAbsolute};
  }
  const auto utc = utc_of_text(text);
  if (!utc) {
    throw std::invalid_argument(
        fmt::format("'{}' is no time of a log; allowed: first, absolute, or an instant, 2024-05-01T10:00:00Z", text));
  }
  return {Kind::kInstant, *utc};
}

LaidTracks lay_tracks(std::span<const TrackLog> logs, const LayRules& rules) {
  return Layer(logs, rules).lay();
}

std::vector<Track> read_tracks_file(const std::string& file, std::span<const std::string> robots,
                                    const LayRules& rules) {
  std::string content;
  try {
    content = read_plain_file(file, {.most_bytes = kMostOfConfiguredLog});
  } catch (const PlainFileError& error) {
    refuse(file, error.why());
  }
  if (is_tracks_csv(content)) {
    if (!rules.robots.empty() || rules.start) {
      refuse(file, "is in metres and simulation time, by robots' names; the keys names and time are for logs");
    }
    return read_tracks_csv(file, robots);
  }
  const TrackLog log = parse_log(content, file);
  LaidTracks laid = lay_tracks({&log, 1}, named_rules(log, robots, rules));
  std::vector<Track> tracks;
  for (const std::string& robot : robots) {
    const auto found = std::ranges::find(laid.tracks, robot, &LaidTrack::robot);
    tracks.push_back(found == laid.tracks.end() ? Track{} : std::move(found->track));
  }
  return tracks;
}

std::string tracks_csv(const LaidTracks& laid) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "t_s,robot,x_m,y_m,z_m\n");
  for (const LaidTrack& each : laid.tracks) {
    for (const Waypoint& point : each.track) {
      const std::int64_t ns = point.at.time_since_epoch().count();
      fmt::format_to(std::back_inserter(text), "{}.{:09},{},{:.4f},{:.4f},{:.4f}\n", ns / 1'000'000'000,
                     ns % 1'000'000'000, each.robot, point.position.x, point.position.y, point.position.z);
    }
  }
  return fmt::to_string(text);
}

std::string robot_name(std::string_view name) {
  constexpr std::size_t kMost = 32;
  const auto is_alnum = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string good(name.substr(0, kMost));
  std::ranges::replace_if(
      good, [&](char c) { return !is_alnum(c) && c != '-' && c != '_'; }, '_');
  if (good.empty() || !is_alnum(good[0])) {
    good = ("r" + good).substr(0, kMost);
  }
  return good;
}

}  // namespace hilgate

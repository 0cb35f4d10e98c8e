// SPDX-License-Identifier: Apache-2.0
#include "gateway/radio_log/station_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "gateway/radio_log/radio_log.h"

namespace hilgate {
namespace {

constexpr double kStationHeight = 1.5;  // m above ground, of an antenna whose height is not given
constexpr double kNearest = 5;          // m, of positions on the earth
constexpr Nanoseconds kLongestGap = std::chrono::seconds(5);

const LogTrack& track_of(const TrackLog& log, const std::string& name) {
  std::string names;
  for (const LogTrack& track : log.tracks) {
    if (track.name == name || (name.empty() && log.tracks.size() == 1)) {
      return track;
    }
    names += (names.empty() ? "" : ", ") + shown(track.name);
  }
  throw ConfigError({{log.file, 0, "",
                      name.empty() ? fmt::format("has several tracks; choose one with --track: {}", names)
                                   : fmt::format("has no track '{}'; it has {}", shown(name), names)}});
}

}  // namespace

StationTrack::StationTrack(const TrackLog& log, const std::string& name, const std::optional<OtherEnd>& station) {
  const LogTrack& track = track_of(log, name);
  on_earth_ = std::holds_alternative<mavlink::Geodetic>(track.points.front().place);
  if (on_earth_) {
    if (station && !(std::abs(station->x) <= 90 && std::abs(station->y) <= 180)) {
      throw ConfigError({{log.file, 0, "",
                          fmt::format("has positions on the earth, and --at {:g},{:g} is no latitude and longitude",
                                      station->x, station->y)}});
    }
    put_on_earth(track, station);
  } else {
    put_in_metres(track, station);
  }
  check_station(log.file);
}

void StationTrack::put_on_earth(const LogTrack& track, const std::optional<OtherEnd>& station) {
  const auto& first = std::get<mavlink::Geodetic>(track.points.front().place);
  mavlink::Geodetic at = first;
  station_m_ = kStationHeight;
  if (station) {
    at = {station->x, station->y, first.alt_m};
    station_m_ = station->height_m ? *station->height_m - first.alt_m : kStationHeight;
  }
  for (const LogPoint& point : track.points) {
    points_.push_back({point.at, mavlink::enu_of(std::get<mavlink::Geodetic>(point.place), at)});
  }
  station_text_ = fmt::format(
      "station: {:.7f},{:.7f}, {}; its antenna is {:.1f} m above the ground, {}; the ground is "
      "flat, at the altitude of the first position, {:.1f} m",
      at.lat_deg, at.lon_deg, station ? "by --at" : "the first position of the track (--at names another)", station_m_,
      station && station->height_m ? "by --at" : "which is assumed", first.alt_m);
}

void StationTrack::put_in_metres(const LogTrack& track, const std::optional<OtherEnd>& station) {
  const auto& first = std::get<Vec3>(track.points.front().place);
  const Vec3 at = station ? Vec3{station->x, station->y, 0} : Vec3{first.x, first.y, 0};
  station_m_ = station && station->height_m ? *station->height_m : kStationHeight;
  for (const LogPoint& point : track.points) {
    const auto& place = std::get<Vec3>(point.place);
    points_.push_back({point.at, {place.x - at.x, place.y - at.y, place.z}});
  }
  station_text_ = fmt::format("station: x {:.1f} m, y {:.1f} m, {}; its antenna is {:.1f} m above z = 0, {}", at.x,
                              at.y, station ? "by --at" : "the first position of the track (--at names another)",
                              station_m_, station && station->height_m ? "by --at" : "which is assumed");
}

void StationTrack::check_station(const std::string& file) const {
  if (station_m_ < -kLowestAntenna || std::abs(station_m_) > 10'000) {
    throw ConfigError({{file, 0, "",
                        fmt::format("the station's antenna is at {:.1f} m above the ground of the track's first "
                                    "position; give --at the altitude as the log has it",
                                    station_m_)}});
  }
}

bool StationTrack::place(Nanoseconds at, MeasuredRow& row) {
  const auto after = std::ranges::lower_bound(points_, at, {}, &Point::at);
  const bool exact = after != points_.end() && after->at == at;
  if (after == points_.end() || (after == points_.begin() && !exact) ||
      (!exact && after->at - (after - 1)->at > kLongestGap)) {
    ++without_place_;
    return false;
  }
  Vec3 here = after->place;
  if (!exact) {
    const Point& before = *(after - 1);
    const double part =
        static_cast<double>((at - before.at).count()) / static_cast<double>((after->at - before.at).count());
    here = on_line(before.place, here, part);
  }
  const PairGeometry pair =
      pair_between(std::hypot(here.x, here.y), std::max(here.z, kLowestAntenna), std::max(station_m_, kLowestAntenna));
  if (on_earth_ && pair.d3d_m < kNearest) {
    ++too_near_;
    return false;
  }
  row.pair = pair;
  row.time_s = std::chrono::duration<double>(at - first()).count();
  moved_m_ += last_ ? distance_m(here, *last_) : 0;
  row.moved_m = moved_m_;
  last_ = here;
  return true;
}

std::vector<std::string> StationTrack::notes() const {
  std::vector<std::string> all{station_text_};
  if (without_place_ > 0) {
    all.push_back(
        fmt::format("left out: {} values before the first position, after the last, or in a gap of more than "
                    "5 s",
                    without_place_));
  }
  if (too_near_ > 0) {
    all.push_back(
        fmt::format("left out: {} values within 5 m of the station, where positions are too inexact", too_near_));
  }
  return all;
}

}  // namespace hilgate

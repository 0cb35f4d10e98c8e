// SPDX-License-Identifier: Apache-2.0
#include "physics_link/tracklog/track_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "config/plain_text.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/tracklog/log_time.h"

namespace hilgate {
namespace {

// Why a position on the earth cannot be one; empty when it can.
std::string geodetic_fault(const mavlink::Geodetic& place) {
  if (!(std::abs(place.lat_deg) <= 90)) {
    const bool swapped = std::abs(place.lat_deg) <= 180 && std::abs(place.lon_deg) <= 90;
    return fmt::format("latitude {:g} is out of range; allowed: -90 to 90 degrees{}", place.lat_deg,
                       swapped ? fmt::format("; the longitude is {:g}: are the two swapped?", place.lon_deg) : "");
  }
  if (!(std::abs(place.lon_deg) <= 180)) {
    return fmt::format("longitude {:g} is out of range; allowed: -180 to 180 degrees", place.lon_deg);
  }
  if (!(std::abs(place.alt_m) <= kWorldReach)) {
    return fmt::format("altitude {:g} m is out of range; allowed: within {:g} m", place.alt_m, kWorldReach);
  }
  return "";
}

}  // namespace

std::string seconds_text(Nanoseconds at) {
  return fmt::format("{:.6f} s", std::chrono::duration<double>(at).count());
}

LogBuilder::LogBuilder(std::string file, std::string format, LogClock clock, Counts counts) : counts_(counts) {
  log_.file = std::move(file);
  log_.format = std::move(format);
  log_.clock = clock;
  if (clock == LogClock::kUtc) {
    log_.utc_of_zero = Nanoseconds{0};
  }
}

void LogBuilder::fault(std::size_t spot, const std::string& text) {
  if (full()) {
    return;
  }
  if (counts_ == Counts::kLines) {
    faults_.push_back({log_.file, static_cast<int>(std::min<std::size_t>(spot, 1U << 30)), "", text});
  } else {
    faults_.push_back({log_.file, 0, "", fmt::format("at byte {}: {}", spot, text)});
  }
}

LogTrack* LogBuilder::track_named(const std::string& name, std::size_t spot) {
  const auto found = indices_.find(name);
  if (found != indices_.end()) {
    return &log_.tracks[found->second];
  }
  if (log_.tracks.size() == kMostTracks) {
    fault(spot, fmt::format("'{}' is one track more than the {} that a log may have", shown(name), kMostTracks));
    return nullptr;
  }
  indices_.emplace(name, log_.tracks.size());
  log_.tracks.push_back({name, {}});
  return &log_.tracks.back();
}

bool LogBuilder::is_placed(const LogPlace& place, std::size_t spot) {
  std::string wrong;
  if (const auto* geodetic = std::get_if<mavlink::Geodetic>(&place)) {
    wrong = geodetic_fault(*geodetic);
  } else if (const Vec3& local = std::get<Vec3>(place); !is_bounded(local)) {
    wrong = fmt::format("the place {}, {}, {} is {}", local.x, local.y, local.z, unbounded_text(local));
  }
  if (!wrong.empty()) {
    fault(spot, wrong);
  }
  return wrong.empty();
}

// Fills the list of faults: nothing more is read.
bool LogBuilder::is_crowded(std::size_t count, std::string_view what, std::size_t spot) {
  if (count < kMostPoints) {
    return false;
  }
  fault(spot, fmt::format("there are more than {} {}; cut the log, or log at a lower rate", kMostPoints, what));
  faults_.resize(std::max(faults_.size(), kMostFaults), faults_.back());
  return true;
}

void LogBuilder::add(const std::string& track, Nanoseconds at, const LogPlace& place, std::size_t spot) {
  if (full() || !is_placed(place, spot)) {
    return;
  }
  LogTrack* to = track_named(track, spot);
  if (to == nullptr) {
    return;
  }
  if (!to->points.empty() && at <= to->points.back().at) {
    if (at == to->points.back().at) {
      leave_out("positions at the instant of the position before them");
      return;
    }
    fault(spot, fmt::format("the time of '{}' goes back, from {} to {}; cut the log there, or sort it", shown(track),
                            seconds_text(to->points.back().at), seconds_text(at)));
    return;
  }
  if (!to->points.empty() && to->points.back().place.index() != place.index()) {
    fault(spot, fmt::format("'{}' has positions on the earth as well as in metres", shown(track)));
    return;
  }
  if (is_crowded(points_, "positions", spot)) {
    return;
  }
  ++points_;
  to->points.push_back({at, place});
}

void LogBuilder::add_radio(Nanoseconds at, const mavlink::RadioStatus& status, std::size_t spot) {
  LogRadio& radio = log_.radio ? *log_.radio : log_.radio.emplace();
  if (full() || is_crowded(radio.samples.size(), "RADIO_STATUS", spot)) {
    return;
  }
  const bool first = radio.samples.empty();
  radio.samples.push_back({at, status});
  const auto take = [&](auto mavlink::RadioStatus::*field) {
    radio.least.*field = first ? status.*field : std::min(radio.least.*field, status.*field);
    radio.most.*field = first ? status.*field : std::max(radio.most.*field, status.*field);
  };
  take(&mavlink::RadioStatus::rssi);
  take(&mavlink::RadioStatus::remrssi);
  take(&mavlink::RadioStatus::noise);
  take(&mavlink::RadioStatus::remnoise);
  take(&mavlink::RadioStatus::rxerrors);
  take(&mavlink::RadioStatus::fixed);
}

TrackLog LogBuilder::finish(const std::string& nothing) {
  for (const auto& [what, count] : left_out_) {
    log_.notes.push_back(fmt::format("left out: {} {}", count, what));
  }
  if (faults_.empty() && log_.tracks.empty()) {
    std::string text = nothing;
    for (const std::string& line : log_.notes) {
      text += "; " + line;
    }
    faults_.push_back({log_.file, 0, "", std::move(text)});
  }
  if (!faults_.empty()) {
    // More of one fault than are kept: add() fills the list when it gives up.
    faults_.erase(std::unique(faults_.begin(), faults_.end(),
                              [](const Fault& a, const Fault& b) { return a.line_text() == b.line_text(); }),
                  faults_.end());
    throw ConfigError(std::move(faults_));
  }
  return std::move(log_);
}

namespace {

/// A track in figures.
struct TrackFigures {
  Nanoseconds first{};
  Nanoseconds last{};
  Nanoseconds longest_gap{0};
  Vec3 low;  // of the log's frame; on the earth of the first position of the log
  Vec3 high;
  double fastest_m_s = 0;  // from one position to the next
};

std::optional<mavlink::Geodetic> origin_of(const TrackLog& log) {
  for (const LogTrack& track : log.tracks) {
    if (const auto* geodetic = std::get_if<mavlink::Geodetic>(&track.points.front().place)) {
      return *geodetic;
    }
  }
  return std::nullopt;
}

Vec3 metres_of(const LogPlace& place, const std::optional<mavlink::Geodetic>& origin) {
  const auto* geodetic = std::get_if<mavlink::Geodetic>(&place);
  return geodetic == nullptr ? std::get<Vec3>(place) : mavlink::enu_of(*geodetic, *origin);
}

TrackFigures figures_of(const LogTrack& track, const std::optional<mavlink::Geodetic>& origin) {
  TrackFigures figures{.first = track.points.front().at, .last = track.points.back().at, .low = {}, .high = {}};
  Vec3 before = metres_of(track.points.front().place, origin);
  figures.low = figures.high = before;
  for (std::size_t i = 1; i < track.points.size(); ++i) {
    const Vec3 at = metres_of(track.points[i].place, origin);
    const Nanoseconds gap = track.points[i].at - track.points[i - 1].at;
    figures.longest_gap = std::max(figures.longest_gap, gap);
    figures.low = {std::min(figures.low.x, at.x), std::min(figures.low.y, at.y), std::min(figures.low.z, at.z)};
    figures.high = {std::max(figures.high.x, at.x), std::max(figures.high.y, at.y), std::max(figures.high.z, at.z)};
    const double way = std::hypot(at.x - before.x, at.y - before.y, at.z - before.z);
    figures.fastest_m_s = std::max(figures.fastest_m_s, way / std::chrono::duration<double>(gap).count());
    before = at;
  }
  return figures;
}

std::string clock_text(const TrackLog& log) {
  const std::string known = log.utc_of_zero ? ", UTC known" : "";
  switch (log.clock) {
    case LogClock::kUtc:
      return log.utc_of_zero ? "UTC" : "a day without a date";
    case LogClock::kBoot:
      return "since boot" + known;
    case LogClock::kSimulation:
      return "simulation time";
  }
  return "";
}

std::string time_text(const TrackLog& log, Nanoseconds at) {
  return log.utc_of_zero ? utc_text(at + *log.utc_of_zero) : seconds_text(at);
}

std::string range_text(double low, double high) {
  return fmt::format("{:.1f} to {:.1f}", low, high);
}

std::string radio_text(const LogRadio& radio) {
  const auto range = [](unsigned low, unsigned high) { return fmt::format("{} to {}", low, high); };
  return fmt::format("radio: {} RADIO_STATUS, rssi {}, remrssi {}, noise {}, remnoise {}, rxerrors {}, fixed {}\n",
                     radio.samples.size(), range(radio.least.rssi, radio.most.rssi),
                     range(radio.least.remrssi, radio.most.remrssi), range(radio.least.noise, radio.most.noise),
                     range(radio.least.remnoise, radio.most.remnoise), range(radio.least.rxerrors, radio.most.rxerrors),
                     range(radio.least.fixed, radio.most.fixed));
}

nlohmann::json radio_json(const LogRadio& radio) {
  const auto values = [](const mavlink::RadioStatus& status) {
    return nlohmann::json{{"rssi", status.rssi},         {"remrssi", status.remrssi},   {"noise", status.noise},
                          {"remnoise", status.remnoise}, {"rxerrors", status.rxerrors}, {"fixed", status.fixed}};
  };
  return {{"samples", radio.samples.size()}, {"least", values(radio.least)}, {"most", values(radio.most)}};
}

}  // namespace

std::string log_report_text(const TrackLog& log) {
  const auto origin = origin_of(log);
  std::string text = fmt::format("{}: {}, clock: {}\n", log.file, log.format, clock_text(log));
  if (origin) {
    text += fmt::format("origin: latitude {:.7f}, longitude {:.7f}, altitude {:.3f} m\n", origin->lat_deg,
                        origin->lon_deg, origin->alt_m);
  }
  for (const LogTrack& track : log.tracks) {
    const TrackFigures figures = figures_of(track, origin);
    text +=
        fmt::format("{}: {} positions, {} to {} ({}), longest gap {}\n  x {} m, y {} m, z {} m, at most {:.1f} m/s\n",
                    shown(track.name), track.points.size(), time_text(log, figures.first), time_text(log, figures.last),
                    seconds_text(figures.last - figures.first), seconds_text(figures.longest_gap),
                    range_text(figures.low.x, figures.high.x), range_text(figures.low.y, figures.high.y),
                    range_text(figures.low.z, figures.high.z), figures.fastest_m_s);
  }
  if (log.radio) {
    text += radio_text(*log.radio);
  }
  for (const std::string& note : log.notes) {
    text += note + "\n";
  }
  return text;
}

std::string log_report_json(const TrackLog& log) {
  const auto origin = origin_of(log);
  nlohmann::json json = {{"file", log.file}, {"format", log.format}, {"clock", clock_text(log)}, {"notes", log.notes}};
  if (origin) {
    json["origin"] = {{"latitude", origin->lat_deg}, {"longitude", origin->lon_deg}, {"altitude_m", origin->alt_m}};
  }
  if (log.utc_of_zero) {
    json["utc_of_zero_ns"] = log.utc_of_zero->count();
  }
  if (log.radio) {
    json["radio"] = radio_json(*log.radio);
  }
  for (const LogTrack& track : log.tracks) {
    const TrackFigures figures = figures_of(track, origin);
    json["tracks"].push_back({{"name", track.name},
                              {"positions", track.points.size()},
                              {"first_ns", figures.first.count()},
                              {"last_ns", figures.last.count()},
                              {"longest_gap_ns", figures.longest_gap.count()},
                              {"low_m", {figures.low.x, figures.low.y, figures.low.z}},
                              {"high_m", {figures.high.x, figures.high.y, figures.high.z}},
                              {"fastest_m_s", figures.fastest_m_s}});
  }
  return json_line(json);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "physics_link/tracklog/track_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "physics_link/tracklog/log_time.h"

namespace hilgate {
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
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hilgate

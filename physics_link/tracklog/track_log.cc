// SPDX-License-Identifier: Apache-2.0
#include "physics_link/tracklog/track_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics_link/foreign_numbers.h"

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

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 64;
  std::string line(text.substr(0, kMost));
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }, '?');
  return text.size() > kMost ? line + "..." : line;
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

}  // namespace hilgate

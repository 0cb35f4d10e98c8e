// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "config/plain_text.h"
#include "physics_link/tracklog/log_formats.h"
#include "physics_link/tracklog/log_time.h"
#include "physics_link/tracklog/log_xml.h"

namespace hilgate {
namespace {

using tinyxml2::XMLElement;

class GpxReader {
 public:
  explicit GpxReader(const std::string& file) : log_(file, "GPX", LogClock::kUtc, LogBuilder::Counts::kLines) {}

  TrackLog read(const XMLElement& root) {
    std::size_t number = 0;
    for (const XMLElement* track = child_named(root, "trk"); track != nullptr; track = next_named(*track)) {
      ++number;
      const std::string_view name = text_of(*track, "name");
      take_track(*track, name.empty() ? fmt::format("track{}", number) : std::string(name));
    }
    for (const char* other : {"wpt", "rte"}) {
      for (const XMLElement* left = child_named(root, other); left != nullptr; left = next_named(*left)) {
        log_.leave_out(other == std::string_view("wpt") ? "waypoints (wpt)" : "routes (rte)");
      }
    }
    return log_.finish("has no track with times: 'trkpt' elements with 'time' are needed");
  }

 private:
  void take_track(const XMLElement& track, const std::string& name) {
    for (const XMLElement* part = child_named(track, "trkseg"); part != nullptr; part = next_named(*part)) {
      for (const XMLElement* point = child_named(*part, "trkpt"); point != nullptr && !log_.full();
           point = next_named(*point)) {
        take_point(*point, name);
      }
    }
  }

  void take_point(const XMLElement& point, const std::string& name) {
    const auto lat = number_in(point, "lat", log_);
    const auto lon = number_in(point, "lon", log_);
    if (!lat || !lon) {
      return;
    }
    const std::string_view time = text_of(point, "time");
    if (time.empty()) {
      return log_.leave_out("points without a time");
    }
    const auto at = utc_of_text(time);
    if (!at) {
      return log_.fault(line_of(point),
                        fmt::format("time '{}' is none; example: 2024-05-01T10:00:00.25Z", shown(time)));
    }
    if (text_of(point, "fix") == "none") {
      return log_.leave_out("positions without a fix");
    }
    const auto height = finite_number(text_of(point, "ele"));
    if (!height) {
      log_.leave_out("altitudes that are missing or no numbers; they count as 0 m");
    }
    log_.add(name, *at, mavlink::Geodetic{*lat, *lon, height.value_or(0)}, line_of(point));
  }

  LogBuilder log_;
};

}  // namespace

TrackLog parse_gpx(std::string_view text, const std::string& file) {
  tinyxml2::XMLDocument document;
  return GpxReader(file).read(xml_root(document, text, file, "gpx"));
}

}  // namespace hilgate

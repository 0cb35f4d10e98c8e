// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "config/plain_text.h"
#include "physics_link/tracklog/log_formats.h"
#include "physics_link/tracklog/log_time.h"
#include "physics_link/tracklog/log_xml.h"

namespace hilgate {
namespace {

using tinyxml2::XMLElement;

class KmlReader {
 public:
  explicit KmlReader(const std::string& file) : log_(file, "KML", LogClock::kUtc, LogBuilder::Counts::kLines) {}

  TrackLog read(const XMLElement& root) {
    take_children(root, "");
    return log_.finish("has no gx:Track: lines and points without times are no tracks");
  }

 private:
  // tinyxml2 limits how deep elements are nested.
  void take_children(const XMLElement& parent, const std::string& name) {  // NOLINT(misc-no-recursion)
    for (const XMLElement* child = parent.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      const std::string_view is = bare_name(*child);
      if (is == "Track") {
        take_track(*child, name.empty() ? fmt::format("track{}", ++unnamed_) : name);
      } else if (is == "LineString") {
        log_.leave_out("lines without times (LineString)");
      } else {
        const std::string_view own = text_of(*child, "name");
        take_children(*child, is == "Placemark" && !own.empty() ? std::string(own) : name);
      }
    }
  }

  // All `when` elements belong to the `coord` elements of the same track, in their order.
  void take_track(const XMLElement& track, const std::string& name) {
    std::vector<const XMLElement*> times;
    for (const XMLElement* when = child_named(track, "when"); when != nullptr; when = next_named(*when)) {
      times.push_back(when);
    }
    std::size_t index = 0;
    for (const XMLElement* coord = child_named(track, "coord"); coord != nullptr && !log_.full();
         coord = next_named(*coord), ++index) {
      if (index == times.size()) {
        return log_.fault(line_of(*coord), fmt::format("'{}' has fewer 'when' than 'coord' elements", shown(name)));
      }
      take_point(*times[index], *coord, name);
    }
    if (index < times.size() && !log_.full()) {
      log_.fault(line_of(*times[index]), fmt::format("'{}' has more 'when' than 'coord' elements", shown(name)));
    }
  }

  void take_point(const XMLElement& when, const XMLElement& coord, const std::string& name) {
    const char* time = when.GetText();
    const auto at = time == nullptr ? std::nullopt : utc_of_text(time);
    if (!at) {
      return log_.fault(line_of(when), fmt::format("time '{}' is none; example: 2024-05-01T10:00:00.25Z",
                                                   shown(time == nullptr ? "" : time)));
    }
    const char* text = coord.GetText();
    if (text == nullptr) {
      return log_.leave_out("positions without a fix");  // an empty coord: not known at the time
    }
    constexpr std::size_t kLongest = 256;
    const std::vector<std::string> parts = parts_of(trimmed(text, kLogBlanks).substr(0, kLongest), ' ');
    std::vector<double> numbers;
    for (const std::string& part : parts) {
      if (const auto number = finite_number(part)) {
        numbers.push_back(*number);
      }
    }
    if (numbers.size() != parts.size() || numbers.size() < 2 || numbers.size() > 3) {
      return log_.fault(line_of(coord), fmt::format("coord '{}' is no LONGITUDE LATITUDE ALTITUDE", shown(text)));
    }
    log_.add(name, *at, mavlink::Geodetic{numbers[1], numbers[0], numbers.size() == 3 ? numbers[2] : 0},
             line_of(coord));
  }

  LogBuilder log_;
  std::size_t unnamed_ = 0;
};

}  // namespace

TrackLog parse_kml(std::string_view text, const std::string& file) {
  tinyxml2::XMLDocument document;
  return KmlReader(file).read(xml_root(document, text, file, "kml"));
}

}  // namespace hilgate

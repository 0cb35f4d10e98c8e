// SPDX-License-Identifier: Apache-2.0
// XML logs, by tinyxml2: elements by their names without prefixes, and the numbers in them.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/plain_text.h"
#include "physics_link/tracklog/log_formats.h"
#include "physics_link/tracklog/log_time.h"
#include "physics_link/tracklog/track_log.h"

namespace hilgate {
namespace {

using tinyxml2::XMLElement;

// The element's name without a prefix.
std::string_view bare_name(const XMLElement& element) {
  const std::string_view name = element.Name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::size_t line_of(const XMLElement& element) {
  return static_cast<std::size_t>(std::max(element.GetLineNum(), 1));
}

// Reads `text` into `document` and returns its root, whose name without a prefix is `root`. Throws ConfigError with the
// line.
const XMLElement& xml_root(tinyxml2::XMLDocument& document, std::string_view text, const std::string& file,
                           std::string_view root) {
  constexpr std::size_t kMostOfXml = std::size_t{256} << 20;  // a tree takes eleven times as much
  if (text.size() > kMostOfXml) {
    throw ConfigError({{file, 0, "",
                        fmt::format("has {} bytes, and of XML {} are the most; cut the log, or log at a "
                                    "lower rate",
                                    text.size(), kMostOfXml)}});
  }
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    throw ConfigError({{file, std::max(document.ErrorLineNum(), 1), "",
                        fmt::format("is no whole XML: {}", tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID()))}});
  }
  const XMLElement* element = document.RootElement();
  if (element == nullptr || bare_name(*element) != root) {
    throw ConfigError({{file, 1, "",
                        fmt::format("the first element is '{}'; it must be '{}'",
                                    element == nullptr ? "" : shown(element->Name()), root)}});
  }
  if (const XMLElement* const second = element->NextSiblingElement()) {
    throw ConfigError({{file, std::max(second->GetLineNum(), 1), "",
                        fmt::format("begins a second element after '{}', which would not be read", root)}});
  }
  return *element;
}

// The first child, or following sibling, with the name; absent: nullptr.
const XMLElement* child_named(const XMLElement& parent, std::string_view name) {
  const XMLElement* child = parent.FirstChildElement();
  while (child != nullptr && bare_name(*child) != name) {
    child = child->NextSiblingElement();
  }
  return child;
}

const XMLElement* next_named(const XMLElement& element) {
  const XMLElement* next = element.NextSiblingElement();
  while (next != nullptr && bare_name(*next) != bare_name(element)) {
    next = next->NextSiblingElement();
  }
  return next;
}

// The text of the child with the name; empty without one.
std::string_view text_of(const XMLElement& parent, std::string_view name) {
  const XMLElement* child = child_named(parent, name);
  const char* text = child == nullptr ? nullptr : child->GetText();
  return text == nullptr ? std::string_view{} : trimmed(text, kLogBlanks);
}

// The attribute as a finite number; a missing or another one is a fault of the log, at the element's line.
std::optional<double> number_in(const XMLElement& element, const char* attribute, LogBuilder& log) {
  const char* text = element.Attribute(attribute);
  const auto number = text == nullptr ? std::nullopt : finite_number(text);
  if (!number) {
    log.fault(line_of(element), text == nullptr
                                    ? fmt::format("'{}' misses the attribute '{}'", shown(element.Name()), attribute)
                                    : fmt::format("{} '{}' is not a number", attribute, shown(text)));
  }
  return number;
}

void take_fcd_moment(const XMLElement& moment, Nanoseconds at, LogBuilder& log) {
  for (const XMLElement* thing = moment.FirstChildElement(); thing != nullptr && !log.full();
       thing = thing->NextSiblingElement()) {
    const char* id = thing->Attribute("id");
    if (id == nullptr) {
      log.fault(line_of(*thing), "misses the attribute 'id'");
      continue;
    }
    const auto x = number_in(*thing, "x", log);
    const auto y = number_in(*thing, "y", log);
    const char* height = thing->Attribute("z");
    const auto z = height == nullptr ? std::optional(0.0) : number_in(*thing, "z", log);
    if (x && y && z) {
      log.add(id, at, Vec3{*x, *y, *z}, line_of(*thing));
    }
  }
}

}  // namespace

TrackLog parse_fcd(std::string_view text, const std::string& file) {
  tinyxml2::XMLDocument document;
  LogBuilder log(file, "SUMO FCD", LogClock::kSimulation, LogBuilder::Counts::kLines);
  const XMLElement& root = xml_root(document, text, file, "fcd-export");
  for (const XMLElement* moment = child_named(root, "timestep"); moment != nullptr && !log.full();
       moment = next_named(*moment)) {
    const auto time = number_in(*moment, "time", log);
    if (time && std::abs(*time) <= 1e9) {
      take_fcd_moment(*moment, Nanoseconds{std::llround(*time * 1e9)}, log);
    } else if (time) {
      log.fault(line_of(*moment), "the time is out of range; allowed: within 1e9 s");
    }
  }
  return log.finish("has no vehicle");
}

namespace {

void take_device(const XMLElement& device, LogBuilder& log) {
  const char* name = device.Attribute("name");
  if (name == nullptr) {
    return log.fault(line_of(device), "misses the attribute 'name'");
  }
  const XMLElement* position = child_named(device, "position");
  if (position == nullptr || position->Attribute("lat") == nullptr || position->Attribute("lon") == nullptr) {
    return log.leave_out("devices without latitude and longitude");
  }
  const auto lat = number_in(*position, "lat", log);
  const auto lon = number_in(*position, "lon", log);
  const bool has_height = position->Attribute("alt") != nullptr;
  const auto alt = has_height ? number_in(*position, "alt", log) : std::optional(0.0);
  if (lat && lon && alt) {
    log.add(name, Nanoseconds{0}, mavlink::Geodetic{*lat, *lon, *alt}, line_of(*position));
  }
}

// A mobility script is a file of its own, of ns-2's movements.
void note_mobility(const XMLElement& mobility, LogBuilder& log) {
  const XMLElement* configuration = child_named(mobility, "configuration");
  for (; configuration != nullptr; configuration = next_named(*configuration)) {
    const char* name = configuration->Attribute("name");
    const char* value = configuration->Attribute("value");
    if (name != nullptr && value != nullptr && std::string_view(name) == "file") {
      log.note(
          fmt::format("devices stand still here; the movements of {} are a file of their own, which is read as ns-2 "
                      "movements",
                      shown(value)));
    }
  }
}

}  // namespace

TrackLog parse_core_session(std::string_view text, const std::string& file) {
  tinyxml2::XMLDocument document;
  LogBuilder log(file, "CORE session", LogClock::kSimulation, LogBuilder::Counts::kLines);
  const XMLElement& root = xml_root(document, text, file, "scenario");
  if (const XMLElement* devices = child_named(root, "devices")) {
    for (const XMLElement* device = child_named(*devices, "device"); device != nullptr && !log.full();
         device = next_named(*device)) {
      take_device(*device, log);
    }
  }
  if (const XMLElement* all = child_named(root, "mobility_configurations")) {
    for (const XMLElement* mobility = child_named(*all, "mobility_configuration"); mobility != nullptr;
         mobility = next_named(*mobility)) {
      note_mobility(*mobility, log);
    }
  }
  return log.finish("has no device with a position");
}

namespace {

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

namespace {

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

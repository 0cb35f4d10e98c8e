// SPDX-License-Identifier: Apache-2.0
#include "physics_link/cot/cot_event.h"

#include <tinyxml2.h>

#include <cmath>

#include "config/plain_text.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/tracklog/log_time.h"

namespace hilgate::cot {
namespace {

using tinyxml2::XMLElement;

constexpr double kUnknownHeight = 9999999;  // of the schema
constexpr char kProtobufMagic = '\xBF';

std::string text_of_attribute(const XMLElement* element, const char* name) {
  const char* text = element == nullptr ? nullptr : element->Attribute(name);
  return text == nullptr ? "" : text;
}

std::optional<double> number_of(const XMLElement& element, const char* name) {
  return finite_number(trimmed(text_of_attribute(&element, name)));
}

// Fills in the position of an event, or returns what is wrong with it.
std::optional<Fault> read_point(const XMLElement& point, Event& event) {
  const auto lat = number_of(point, "lat");
  const auto lon = number_of(point, "lon");
  const auto height = number_of(point, "hae");
  if (!lat || !lon || !height || std::abs(*lon) > 180 || std::abs(*lat) > 180) {
    return Fault::kNumbers;
  }
  if (std::abs(*lat) > 90) {
    return std::abs(*lon) <= 90 ? Fault::kSwapped : Fault::kNumbers;
  }
  event.lat_deg = *lat;
  event.lon_deg = *lon;
  if (*height != kUnknownHeight) {
    if (std::abs(*height) > kWorldReach) {
      return Fault::kNumbers;
    }
    event.height_m = *height;
  }
  return std::nullopt;
}

}  // namespace

Parsed read_event(std::string_view text) {
  if (!text.empty() && text.front() == kProtobufMagic) {
    return Fault::kProtobuf;
  }
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    return Fault::kXml;
  }
  const XMLElement* root = document.RootElement();
  if (root == nullptr || root->Name() != std::string_view("event") || root->NextSiblingElement() != nullptr) {
    return Fault::kEvent;
  }
  const std::string type = text_of_attribute(root, "type");
  Event event;
  event.uid = text_of_attribute(root, "uid");
  const XMLElement* point = root->FirstChildElement("point");
  if (type.empty() || event.uid.empty() || point == nullptr) {
    return Fault::kEvent;
  }
  if (!type.starts_with("a-")) {
    return Other{};
  }
  const XMLElement* detail = root->FirstChildElement("detail");
  event.callsign = text_of_attribute(detail == nullptr ? nullptr : detail->FirstChildElement("contact"), "callsign");
  const auto time = utc_of_text(text_of_attribute(root, "time"));
  const auto stale = utc_of_text(text_of_attribute(root, "stale"));
  if (!time || !stale) {
    return Fault::kTimes;
  }
  event.time = *time;
  event.stale = *stale;
  const auto fault = read_point(*point, event);
  return fault ? Parsed(*fault) : Parsed(std::move(event));
}

std::optional<std::string> EventCutter::next() {
  constexpr std::string_view kEnd = "</event>";
  const std::size_t end = text_.find(kEnd);
  if (end == std::string::npos) {
    return std::nullopt;
  }
  std::string event = text_.substr(0, end + kEnd.size());
  text_.erase(0, event.size());
  return event;
}

}  // namespace hilgate::cot

// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/cot_event.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>

#include "physics_link/tracklog/log_time.h"

namespace hilgate {
namespace {

std::string cot_time(Nanoseconds utc) {
  return utc_text(std::chrono::round<std::chrono::milliseconds>(utc));
}

// Between double quotes.
std::string xml_attribute(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string cot_event(const CotEvent& event) {
  std::string track;
  if (event.motion) {
    // The course of a robot that stands is not known, and the attribute is required.
    track = fmt::format(R"(<track course="{:.2f}" speed="{:.3f}"/>)",
                        rounded_course(event.motion->course_deg.value_or(0)), event.motion->speed_m_s);
  }
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?>)"
                     R"(<event version="2.0" uid="{}" type="{}" how="m-s" time="{}" start="{}" stale="{}">)"
                     R"(<point lat="{:.7f}" lon="{:.7f}" hae="{:.2f}" ce="0.0" le="9999999.0"/>)"
                     R"(<detail><contact callsign="{}"/>{}</detail></event>)",
                     xml_attribute(event.robot.uid), event.robot.type, cot_time(event.utc), cot_time(event.utc),
                     cot_time(event.utc + event.stale), event.place.lat_deg, event.place.lon_deg, event.place.alt_m,
                     xml_attribute(event.robot.callsign), track);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "physics_link/tracklog/log_formats.h"
#include "physics_link/tracklog/log_xml.h"

namespace hilgate {
namespace {

using tinyxml2::XMLElement;

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

}  // namespace hilgate

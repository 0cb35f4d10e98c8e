// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "config/plain_text.h"
#include "physics_link/tracklog/log_formats.h"
#include "physics_link/tracklog/log_xml.h"

namespace hilgate {
namespace {

using tinyxml2::XMLElement;

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

}  // namespace hilgate

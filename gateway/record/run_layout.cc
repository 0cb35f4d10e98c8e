// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/run_layout.h"

#include <nlohmann/json.hpp>

namespace hilgate {

nlohmann::ordered_json RunLayout::json() const {
  nlohmann::ordered_json json{{"robots", nlohmann::ordered_json::array()},
                              {"access_points", nlohmann::ordered_json::array()},
                              {"modes", nlohmann::ordered_json::array()},
                              {"drop_reasons", reasons}};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    json[i < robots ? "robots" : "access_points"].push_back(ends[i]);
  }
  for (const Mode& mode : modes) {
    json["modes"].push_back({{"rate_mbps", mode.rate_mbps}, {"frame_bits", mode.frame_bits}});
  }
  return json;
}

RunLayout RunLayout::of(const nlohmann::json& json) {
  RunLayout layout;
  json.at("robots").get_to(layout.ends);
  layout.robots = layout.ends.size();
  for (const auto& point : json.at("access_points")) {
    layout.ends.push_back(point.get<std::string>());
  }
  for (const auto& mode : json.at("modes")) {
    layout.modes.push_back({mode.at("rate_mbps").get<double>(), mode.at("frame_bits").get<std::uint64_t>()});
  }
  json.at("drop_reasons").get_to(layout.reasons);
  return layout;
}

std::string RunLayout::link_name(std::size_t link) const {
  return link < ends.size() * ends.size() ? ends[link / ends.size()] + ">" + ends[link % ends.size()] : "?";
}

}  // namespace hilgate

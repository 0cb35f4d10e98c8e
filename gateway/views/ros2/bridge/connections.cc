// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/connections.h"

#include <algorithm>

#include "gateway/views/ros2/bridge/status_part.h"

namespace hilgate::ros2 {
namespace {

using Json = nlohmann::json;

Connection connection_by(const Json& part, const char* peer) {
  return {.rate_mbps = number_in(part, "rate_mbps"),
          .rssi_dbm = number_in(part, "rssi_dbm"),
          .snr_db = number_in(part, "snr_db"),
          .peer = part.at(peer).get<std::string>()};
}

const Json* station_of(const Json& status, const std::string& robot) {
  if (status.contains("stations")) {
    for (const Json& station : status.at("stations")) {
      if (station.at("robot") == robot) {
        return &station;
      }
    }
  }
  return nullptr;
}

const Json* best_link_to(const Json& status, const std::string& robot) {
  const Json* best = nullptr;
  for (const Json& link : status.at("links")) {
    if (link.at("to") == robot && link.at("reachable").get<bool>() &&
        (best == nullptr || number_in(link, "rssi_dbm") > number_in(*best, "rssi_dbm"))) {
      best = &link;
    }
  }
  return best;
}

std::string medium_of(const Json& status, const std::string& robot) {
  for (const Json& medium : status.at("media")) {
    const Json& robots = medium.at("robots");
    if (std::find(robots.begin(), robots.end(), robot) != robots.end()) {
      return medium.at("domain").get<std::string>();
    }
  }
  return {};
}

}  // namespace

std::optional<Connection> connection_of(const Json& status, const std::string& robot) {
  std::optional<Connection> found;
  if (const Json* const station = station_of(status, robot)) {
    if (station->contains("access_point")) {
      found = connection_by(*station, "access_point");
    }
  } else if (const Json* const link = best_link_to(status, robot)) {
    found = connection_by(*link, "from");
  }
  if (found) {
    found->medium = medium_of(status, robot);
  }
  return found;
}

}  // namespace hilgate::ros2

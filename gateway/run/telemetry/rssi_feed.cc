// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/rssi_feed.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHead = 150;  // what a datagram has beside its links, at most, the robot's name left out

double rounded(double value, double unit) {
  return std::round(value / unit) * unit;
}

Json reading_json(const LinkReading& link) {
  Json json{{"reachable", link.reachable}};
  if (link.has_radio) {
    json["rssi_dbm"] = rounded(link.rssi_dbm, 0.125);
    json["snr_db"] = rounded(link.snr_db, 0.125);
  }
  json["rate_mbps"] = link.rate_mbps;
  json["loss"] = rounded(link.frame_loss, 1.0 / 65536);
  return json;
}

}  // namespace

std::vector<std::string> feed_datagrams(const std::string& robot, SimTime at, std::uint64_t window,
                                        const std::vector<PeerReading>& peers, std::size_t most) {
  std::vector<Json> parts{Json::array()};
  std::size_t size = 0;
  for (const PeerReading& peer : peers) {
    Json link{{"peer", peer.peer}, {"rx", reading_json(peer.rx)}, {"tx", reading_json(peer.tx)}};
    const std::size_t length = link.dump().size() + 1;
    if (!parts.back().empty() && kHead + robot.size() + size + length > most) {
      parts.push_back(Json::array());
      size = 0;
    }
    parts.back().push_back(std::move(link));
    size += length;
  }
  std::vector<std::string> datagrams;
  for (Json& links : parts) {
    datagrams.push_back(Json{
        {"robot", robot},
        {"sim_time_s", static_cast<double>(at.time_since_epoch().count()) / 1e9},
        {"window", window},
        {"part", datagrams.size()},
        {"parts", parts.size()},
        {"links",
         std::move(links)}}.dump());
  }
  return datagrams;
}

}  // namespace hilgate

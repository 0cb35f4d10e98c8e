// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/site_conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilgate {
namespace {

std::string robots_of(const Configuration& configuration, const std::string& gateway) {
  std::string text;
  for (const RobotConfig& robot : configuration.robots) {
    const PortConfig& port = configuration.ports[robot.port.value()];
    if (configuration.site->gateways[port.gateway].name == gateway) {
      text += (text.empty() ? "" : ", ") + robot.name;
    }
  }
  return text.empty() ? "no robots" : text;
}

std::string version_of(const PeerReport& report) {
  return {report.version.begin(), std::ranges::find(report.version, '\0')};
}

std::string why(const SiteReport& site, const SiteReport::Peer& peer) {
  const PeerReport& report = peer.report;
  switch (report.state) {
    case PeerState::kAwaited:
      return fmt::format("has not been heard of; is it running, and does UDP reach {}?", peer.address);
    case PeerState::kMissing:
      return fmt::format("has been silent for {:.1f} s", seconds_of(report.silent));
    case PeerState::kOtherKey:
      return fmt::format(
          "has another key, or none: give it the file that `site.key_file` names here; packets come from "
          "{} without its proof",
          peer.address);
    case PeerState::kBeginning:
      return "is beginning";
    case PeerState::kOtherConfiguration:
      return fmt::format(
          "has another configuration ({:016x}, here {:016x}): give both the same files and start them again",
          report.digest, site.digest);
    case PeerState::kOtherVersion:
      return fmt::format("is version {}, this is {}", version_of(report), site.version);
    case PeerState::kClockApart:
      return fmt::format("has a clock that differs by {:.1f} us; `hilgate clock` shows what each follows",
                         static_cast<double>(report.clock_offset.value_or(Nanoseconds{0}).count()) / 1e3);
    case PeerState::kOtherZero:
      return "has begun its simulation apart from this one; what most gateways have goes on, the others begin anew as "
             "it by themselves";
    default:
      return "is here";
  }
}

}  // namespace

Condition rejoining_condition(const Configuration& configuration, const SiteRejoining& rejoining) {
  const std::string own = own_gateway(configuration)->name;
  return {.name = "begins_anew",
          .about = own,
          .text = fmt::format(
              "this gateway's simulation began apart from that of the other gateways, and begins anew as theirs: {} of "
              "{} windows are computed; until then {} reach one another alone",
              rejoining.windows, rejoining.of, robots_of(configuration, own))};
}

void find_site_conditions(const Configuration& configuration, const SiteReport& site, std::vector<Condition>& found) {
  for (const SiteReport::Peer& peer : site.peers) {
    if (peer.report.state != PeerState::kHere) {
      found.push_back({.name = "gateway_apart",
                       .about = peer.name,
                       .text = fmt::format("gateway {}: {}; unreachable: {}", peer.name, why(site, peer),
                                           robots_of(configuration, peer.name))});
    }
  }
}

}  // namespace hilgate

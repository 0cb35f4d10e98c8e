// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/configured_path.h"

#include <algorithm>
#include <utility>

#include "gateway/configuration/bodies.h"
#include "host/processors.h"

namespace hilgate {
namespace {

// What is left to do where the air runs in simulated time: the damage of a verdict's bit error rate.
AirPlan damage_alone(const AirPlan& air) {
  AirPlan plan;
  plan.modes = air.modes;
  plan.stations.resize(air.stations.size());
  for (const LinkRules& rules : air.rules) {
    plan.rules.push_back(
        {.policy = rules.policy, .burst_continues = rules.burst_continues, .protect_headers = rules.protect_headers});
  }
  return plan;
}

}  // namespace

std::vector<RobotEntry> configured_robots(const Configuration& configuration, const PortSlots& slots) {
  const Bodies bodies(configuration.robots);
  std::vector<RobotEntry> robots;
  for (const RobotConfig& robot : configuration.robots) {
    const PortConfig& port = configuration.ports[robot.port.value()];
    const std::uint32_t body = bodies.of_radios()[robots.size()];
    robots.push_back({.port = slots.slot_of(robot.port),
                      .macs = robot.macs,
                      .ips = robot.ips,
                      .isolated = port.isolated,
                      .vlan = robot.vlan,
                      .line = is_line(port.driver),
                      .shared = robot.shared_macs,
                      .judged = is_judged(configuration, RobotIndex{static_cast<std::uint32_t>(robots.size())}),
                      .body = robot.name != robot.body ? body + 1 : 0});
  }
  return robots;
}

PathSettings configured_path(const Configuration& configuration, const AirPlan& air, const RobotSlots& slots) {
  PathSettings settings{.seed = configuration.seed, .hold_frames = configuration.hold_frames, .robots = {}, .air = air};
  if (air_in_sim_time(configuration)) {
    settings.air = damage_alone(air);
  }
  if (judged_by_packet(configuration)) {
    settings.parked_packets = configuration.hold_frames;
  }
  if (const ExternalNetsimConfig* netsim = external_netsim(configuration); netsim != nullptr && netsim->by_packet) {
    settings.reference_errors = netsim->compat;
    settings.resolution_unjudged = netsim->resolution_around;
  }
  settings.ptp.resize(slots.ports().nowhere().value() + 1, PtpPassage::kThroughAir);
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    settings.ptp[slots.ports().slot_of(PortIndex{i}).value()] = configuration.ports[i].ptp;
  }
  settings.hold_caches = HoldCaches::of(second_cache_bytes());
  settings.tap = tap_of(configuration);
  // Robots that are located by their own telemetry must be able to resolve addresses, or they stop sending.
  settings.answers_neighbours = configuration.vehicles.has_value();
  settings.robots = configured_robots(configuration, slots.ports());
  while (settings.robots.size() < link_ends(configuration)) {
    settings.robots.push_back({slots.ports().nowhere(), {}, {}, false});  // an access point has no address
  }
  return slots.arrange(std::move(settings));
}

SiteTerms site_terms(const Configuration& configuration) {
  const SiteConfig& site = *configuration.site;
  SiteTerms terms{.site = site.name,
                  .gateways = {},
                  .own = *site.own,
                  .digest = site.digest,
                  .version = site.version,
                  .clock_within = site.clock_within,
                  .silent_after = site.silent_after,
                  .zero_within = configuration.window / 2};
  if (!site.key_file.empty()) {
    terms.key = SiteKey::load(site.key_file);
  }
  for (const GatewayConfig& gateway : site.gateways) {
    terms.gateways.push_back({gateway.name, gateway.address.v4(), gateway.port});
  }
  terms.gateway_of = gateways_of_robots(configuration);
  terms.here = robots_here(configuration);
  return terms;
}

std::vector<std::uint32_t> gateways_of_robots(const Configuration& configuration) {
  std::vector<std::uint32_t> gateways;
  for (const RobotConfig& robot : configuration.robots) {
    gateways.push_back(configuration.ports[robot.port.value()].gateway);
  }
  return gateways;
}

SharedMedia shared_media(const Configuration& configuration, const AirPlan& air) {
  if (judged_by_packet(configuration)) {
    return judged_media(configuration.robots.size(), configuration.site->gateways.size());
  }
  if (configuration.site->media == SiteMedia::kApart) {
    return {};
  }
  return shared_media(MediaGroups(air), gateways_of_robots(configuration));
}

namespace {

MediaDeciders deciders_of(const Configuration& configuration, const AirPlan& air) {
  if (own_gateway(configuration) == nullptr) {
    return {{}, 0, 1};
  }
  return {shared_media(configuration, air), *configuration.site->own, configuration.site->gateways.size()};
}

}  // namespace

SiteHomes::SiteHomes(const Configuration& configuration, const AirPlan& air, std::size_t tunnel)
    : tunnel_(tunnel),
      tunnels_(own_gateway(configuration) != nullptr ? 1 : 0),
      deciders_(deciders_of(configuration, air)) {
  const SharedMedia& media = deciders_.media();
  if (media.media.empty()) {
    return;
  }
  const std::vector<std::uint32_t> gateways = gateways_of_robots(configuration);
  decided_here_.resize(gateways.size());
  for (std::uint32_t robot = 0; robot < gateways.size(); ++robot) {
    if (const std::uint32_t medium = media.of(robot);
        medium != SharedMedia::kNone && gateways[robot] == *configuration.site->own) {
      decided_here_[robot] = &deciders_.decided_here(medium);
    }
  }
}

std::vector<std::size_t> SiteHomes::of(std::vector<std::size_t> homes) const {
  for (std::size_t robot = 0; robot < std::min(homes.size(), decided_here_.size()); ++robot) {
    homes[robot] = decided_here_[robot] != nullptr ? tunnel_ : homes[robot];
  }
  return homes;
}

}  // namespace hilgate

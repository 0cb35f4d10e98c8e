// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/configured_path.h"

#include <utility>

#include "host/processor_caches.h"

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
  std::vector<RobotEntry> robots;
  for (const RobotConfig& robot : configuration.robots) {
    const PortConfig& port = configuration.ports[robot.port.value()];
    robots.push_back({.port = slots.slot_of(robot.port),
                      .macs = robot.macs,
                      .ips = robot.ips,
                      .isolated = port.isolated,
                      .vlan = robot.vlan,
                      .line = is_line(port.driver)});
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
  // Who is known by what he says must not fall silent for want of an answer.
  settings.answers_neighbours = configuration.vehicles.has_value();
  settings.robots = configured_robots(configuration, slots.ports());
  while (settings.robots.size() < link_ends(configuration)) {
    settings.robots.push_back({slots.ports().nowhere(), {}, {}, false});  // an access point has no address
  }
  return slots.arrange(std::move(settings));
}

}  // namespace hilgate

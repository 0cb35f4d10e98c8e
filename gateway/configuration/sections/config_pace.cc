// SPDX-License-Identifier: Apache-2.0
// pace, dilate, late, lag: how windows follow each other, and which simulators can follow.
#include <algorithm>
#include <cmath>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

constexpr double kMillion = 1e6;

// Windows of wall time are no shorter than windows may be.
void read_dilation(YamlReader& root, Configuration& configuration) {
  constexpr Range<Pacing> kPace{{1e-6}, {10}, "1 ppm to 1000 % of wall time (`hilgate pause` stops simulation time)"};
  constexpr Nanoseconds kShortest{100'000};
  const auto pace = require_within(root, "dilate", kPace);
  if (!pace) {
    return;
  }
  configuration.dilation = {static_cast<std::uint32_t>(std::lround(pace->value * kMillion))};
  if (static_cast<double>(configuration.window.count()) < pace->value * static_cast<double>(kShortest.count())) {
    root.fault("dilate", "makes windows shorter than 100us of wall time; use a longer 'window' or a slower pace");
  }
}

// Without a clock nothing can be timed by one: frames wait for verdicts, and scenes for steps. Somebody must take time
// to answer, or windows end as fast as the processor counts them.
void check_lockstep(YamlReader& root, const Configuration& configuration) {
  if (physics_simulator(configuration) == nullptr && external_netsim(configuration) == nullptr) {
    root.fault("pace",
               "lockstep waits for simulators in other processes, and physics and netsim are both in the gateway; use "
               "pace wall or dilate");
  }
  if (air_in_sim_time(configuration) && (configuration.kernel_links || configuration.cores.size() > 1)) {
    root.fault("pace", "lockstep with this netsim can have neither `kernel: {links: true}` nor several cores");
  }
  if (std::holds_alternative<FeedConfig>(configuration.external_physics) || configuration.vehicles) {
    root.fault("pace",
               "lockstep needs physics that advances in steps, of type trajectory, rosnetsim, dancers or native; this "
               "type sends positions at any time");
  }
}

// The path times these by the host's clock, whatever the pace: `delay` alone is stretched in pace dilate.
bool timed_by_host(const LinkOverride& link) {
  return (link.delay && link.delay->jitter) || timed_by_host(link.impairments);
}
bool delays(const LinkOverride& link) {
  return link.delay && link.delay->base > Nanoseconds{0};
}

void check_links(YamlReader& root, const Configuration& configuration) {
  if (air_in_sim_time(configuration)) {
    return;  // in simulated time as everything else
  }
  const bool lockstep = configuration.pace == Pace::kLockstep;
  for (const LinkOverride& link : configuration.links) {
    if (timed_by_host(link) || (lockstep && delays(link))) {
      root.fault(
          "pace",
          fmt::format("with a pace other than wall 'links' cannot use impairments timed by the host's clock: jitter, "
                      "rate, fades, reorder, outages and delayed duplicates{}; configure them in the netsim",
                      lockstep ? ", and with lockstep delay" : ""));
      return;
    }
  }
}

// ROS-NetSim names robots by their addresses.
void check_addresses(YamlReader& root, const Configuration& configuration) {
  const ExternalNetsimConfig* netsim = external_netsim(configuration);
  if (netsim == nullptr || netsim->simulator.protocol != SimulatorProtocol::kRosNetSim) {
    return;
  }
  for (const RobotConfig& robot : configuration.robots) {
    if (std::none_of(robot.ips.begin(), robot.ips.end(), [](const IpAddress& ip) { return ip.is_v4(); })) {
      root.child("robots")
          .child(robot.name)
          .fault("needs an IPv4 address under 'ip', which identifies it for the netsim rosnetsim");
    }
  }
}

}  // namespace

void read_pace(YamlReader& root, Configuration& configuration) {
  configuration.pace = root.choice<Pace>(
      "pace", {{"wall", Pace::kWall}, {"dilate", Pace::kDilate}, {"lockstep", Pace::kLockstep}}, configuration.pace);
  if (configuration.pace == Pace::kDilate) {
    read_dilation(root, configuration);
  } else if (configuration.pace == Pace::kLockstep) {
    check_lockstep(root, configuration);
  }
  if (configuration.pace != Pace::kWall) {
    check_links(root, configuration);
  }
  configuration.late = root.choice<LatePolicy>(
      "late", {{"hold_last", LatePolicy::kHoldLast}, {"discard", LatePolicy::kDiscard}, {"halt", LatePolicy::kHalt}},
      configuration.late);
  configuration.lag_one_window = root.choice<bool>("lag", {{"one_window", true}, {"none", false}}, true);
  check_addresses(root, configuration);
}

}  // namespace hilgate

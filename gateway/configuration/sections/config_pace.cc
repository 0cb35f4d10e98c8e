// SPDX-License-Identifier: Apache-2.0
// pace, dilate, late, lag: how windows follow each other, and which simulators can follow.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

constexpr double kMillion = 1e6;
constexpr Nanoseconds kShortestWindow{100'000};

// Windows of wall time are no shorter than windows may be.
void read_dilation(YamlReader& root, Configuration& configuration) {
  constexpr Range<Pacing> kPace{{1e-6}, {10}, "1 ppm to 1000 % of wall time (`hilgate pause` stops simulation time)"};
  const auto pace = require_within(root, "dilate", kPace);
  if (!pace) {
    return;
  }
  configuration.dilation = {static_cast<std::uint32_t>(std::lround(pace->value * kMillion))};
  if (static_cast<double>(configuration.window.count()) < pace->value * static_cast<double>(kShortestWindow.count())) {
    root.fault("dilate", "makes windows shorter than 100us of wall time; use a longer 'window' or a slower pace");
  }
}

// The source of physics' progress.
FollowSource followed(YamlReader& root, const Configuration& configuration) {
  if (configuration.vehicles) {
    return FollowSource::kMavlink;
  }
  if (physics_simulator(configuration) != nullptr) {
    return FollowSource::kSteps;
  }
  const auto* feed = std::get_if<FeedConfig>(&configuration.external_physics);
  if (feed == nullptr || !feed->has_clock) {
    root.fault("pace",
               "follow needs physics with a clock, of type native, rosnetsim, dancers, cornet, robonetsim, ros2 or "
               "mavlink, "
               "or a socket that a clock is written to: `follow: {clock: PATH}`");
  }
  return FollowSource::kFeed;
}

// Vehicles tell their time once a second, or as often as their position.
FollowOptions usual_bounds(FollowSource source) {
  using namespace std::chrono_literals;
  return source == FollowSource::kMavlink ? FollowOptions{.settle = 2s, .hold_after = 3s, .jump = 10s}
                                          : FollowOptions{};
}

void read_bounds(YamlReader& follow, FollowOptions& options) {
  using namespace std::chrono_literals;
  constexpr Range<Pacing> kPace{{0.001}, {10}, "0.1 % to 1000 % of wall time"};
  constexpr Range<Nanoseconds> kSpan{1ms, 60s, "1ms to 60s"};
  constexpr Range<Nanoseconds> kJump{1ms, 3600s, "1ms to 1h"};
  options.slowest = read_within(follow, "slowest", kPace).value_or(Pacing{options.slowest}).value;
  options.fastest = read_within(follow, "fastest", kPace).value_or(Pacing{options.fastest}).value;
  options.settle = read_within(follow, "settle", kSpan).value_or(options.settle);
  options.hold_after = read_within(follow, "hold_after", kSpan).value_or(options.hold_after);
  options.jump = read_within(follow, "jump", kJump).value_or(options.jump);
  if (options.slowest >= options.fastest) {
    follow.fault("slowest", "must be below 'fastest'");
  }
}

// Nodes of a simulator whose /clock is followed stamp by it, and not by the system's clock.
void hear_ros2_clock(YamlReader& root, Ros2Input& input) {
  input.clock = true;
  if (input.stamps) {
    root.fault(
        "physics",
        "is followed by its /clock (`pace: follow`), and its nodes stamp by that clock too; add `stamps: ignore`");
  }
}

void read_follow(YamlReader& root, Configuration& configuration) {
  FollowConfig& config = configuration.follow;
  auto follow = root.optional_child("follow");
  const auto socket = follow ? follow->optional<std::string>("clock") : std::nullopt;
  config.source = socket ? FollowSource::kSocket : followed(root, configuration);
  config.socket = socket.value_or("");
  if (config.source == FollowSource::kFeed && configuration.ros2_input) {
    hear_ros2_clock(root, *configuration.ros2_input);
  }
  config.options = usual_bounds(config.source);
  if (follow) {
    read_bounds(*follow, config.options);
  }
  if (static_cast<double>(configuration.window.count()) <
      config.options.fastest * static_cast<double>(kShortestWindow.count())) {
    root.fault("window", "is too short for pace follow: 100us of wall time at the pace 'fastest' of 'follow'");
  }
}

// Lockstep has no clock that could time anything: frames wait for verdicts, and scenes for steps. At least one
// simulator must take time to answer, or windows end as fast as the processor counts them.
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

bool delays(const LinkOverride& link) {
  return link.delay && link.delay->base > Nanoseconds{0};
}

// What the path times by the host's clock, whatever the pace, and what orders a rule's frames by the instants at which
// they were captured. In pace dilate `delay` alone is stretched.
std::set<std::string_view> timed_by_host(const Configuration& configuration) {
  std::set<std::string_view> names;
  for (const LinkOverride& link : configuration.links) {
    std::ranges::copy(timed_by_host(link.impairments), std::inserter(names, names.end()));
    if (link.delay && link.delay->jitter) {
      names.insert(kImpairmentName<Jitter>);
    }
    if (configuration.pace == Pace::kLockstep && delays(link)) {
      names.insert("delay");
    }
  }
  for (const FlowOverride& flow : configuration.flows) {
    std::ranges::copy(timed_by_host(flow.rule.changes), std::inserter(names, names.end()));
    if (flow.rule.has_own_order()) {
      names.insert("delay with a filter");
    }
  }
  return names;
}

bool plays_traces(const Configuration& configuration) {
  const auto* embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  const auto* local = std::get_if<LocalNetsimConfig>(&configuration.netsim);
  return (embedded != nullptr && !embedded->measured.empty()) || (local != nullptr && local->in_host_time);
}

void check_links(YamlReader& root, const Configuration& configuration) {
  if (air_in_sim_time(configuration)) {
    return;  // in simulated time as everything else
  }
  if (plays_traces(configuration)) {
    root.fault("pace",
               "dilate does not play traces, which the path times by the host's clock; use wall, follow or lockstep");
  }
  const std::set<std::string_view> timed = timed_by_host(configuration);
  if (!timed.empty()) {
    root.fault("pace",
               fmt::format("with a pace other than wall 'links' cannot use what is timed by the host's clock: {}; "
                           "configure it in the netsim",
                           fmt::join(timed, ", ")));
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
      radio_map(root, robot).fault("needs an IPv4 address under 'ip', which identifies it for the netsim rosnetsim");
    }
  }
}

// Keys of one pace, in a file with another: nothing would come of them.
void check_unused(YamlReader& root, std::string_view key, std::string_view pace) {
  if (root.contains(key)) {
    root.fault(key, fmt::format("has an effect with `pace: {}` alone; set that, or remove the key", pace));
  }
}

}  // namespace

void read_pace(YamlReader& root, Configuration& configuration) {
  configuration.pace = root.choice<Pace>(
      "pace",
      {{"wall", Pace::kWall}, {"dilate", Pace::kDilate}, {"follow", Pace::kFollow}, {"lockstep", Pace::kLockstep}},
      configuration.pace);
  if (configuration.pace == Pace::kDilate) {
    read_dilation(root, configuration);
  } else if (configuration.pace == Pace::kFollow) {
    read_follow(root, configuration);
  } else if (configuration.pace == Pace::kLockstep) {
    check_lockstep(root, configuration);
  }
  if (configuration.pace != Pace::kDilate) {
    check_unused(root, "dilate", "dilate");
  }
  if (configuration.pace != Pace::kFollow) {
    check_unused(root, "follow", "follow");
  }
  // In pace follow all impairments run in simulation time.
  if (configuration.pace == Pace::kDilate || configuration.pace == Pace::kLockstep) {
    check_links(root, configuration);
  }
  configuration.late = root.choice<LatePolicy>(
      "late", {{"hold_last", LatePolicy::kHoldLast}, {"discard", LatePolicy::kDiscard}, {"halt", LatePolicy::kHalt}},
      configuration.late);
  configuration.lag_one_window = root.choice<bool>("lag", {{"one_window", true}, {"none", false}}, true);
  check_addresses(root, configuration);
}

}  // namespace hilgate

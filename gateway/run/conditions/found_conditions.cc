// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/found_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "gateway/configuration/bodies.h"
#include "gateway/configuration/frames_in_flight.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/conditions/conditions.h"
#include "physics_link/feeds/position_feed.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

/// Media by the robots that carry radios of several: what one medium does not carry, such a robot can take to another.
class JoinedMedia {
 public:
  void add(const std::string& body, const std::string& domain) {
    const std::string joined = medium_of_.try_emplace(domain, domain).first->second;
    const std::string into = medium_of_body_.try_emplace(body, joined).first->second;
    for (auto* const media : {&medium_of_, &medium_of_body_}) {
      for (auto& [key, medium] : *media) {
        medium = medium == joined ? into : medium;
      }
    }
  }
  [[nodiscard]] bool are_one() const {
    return std::ranges::all_of(medium_of_,
                               [this](const auto& each) { return each.second == medium_of_.begin()->second; });
  }

 private:
  std::map<std::string, std::string> medium_of_;       // by domain
  std::map<std::string, std::string> medium_of_body_;  // by body
};

// Radios hear those of their own domain alone.
void expect_deaf(const Configuration& configuration, std::vector<ExpectedCondition>& found) {
  const auto folders = profile_folders(configuration.profile_paths);
  std::map<std::string, std::string> domains;  // by profile
  std::map<std::string, std::vector<std::string>> robots;
  JoinedMedia media;
  int line = 0;
  for (const RobotConfig& robot : configuration.robots) {
    if (robot.radio.empty()) {
      continue;
    }
    auto& domain = domains[robot.radio];
    if (domain.empty()) {
      domain = load_radio_profile(find_radio_profile(robot.radio, folders)).mac.domain;
    }
    robots[domain].push_back(robot.name);
    media.add(robot.body, domain);
    line = robots.size() > 1 && line == 0 ? robot.line : line;
  }
  if (media.are_one()) {
    return;
  }
  std::string text;
  for (const auto& [domain, names] : robots) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", domain, name_list(names));
  }
  found.push_back({{.name = "radios_deaf",
                    .text = fmt::format("robots: radios of different media do not hear one another: {}", text)},
                   line});
}

void expect_misplaced(const Configuration& configuration, std::vector<ExpectedCondition>& found) {
  if (!configuration.physics) {
    return;
  }
  const std::vector<Track>& tracks = configuration.physics->tracks;
  const Bodies bodies(configuration.robots);
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const std::size_t radio = bodies.first_radio(body).value();
    const RobotConfig& robot = configuration.robots[radio];
    for (const Waypoint& waypoint : radio < tracks.size() ? tracks[radio] : Track{}) {
      if (const std::string fault = fault_of_place(configuration, waypoint.position); !fault.empty()) {
        found.push_back(
            {{.name = "robot_misplaced", .about = robot.body, .text = fmt::format("robot {}: {}", robot.body, fault)},
             robot.line});
        break;
      }
    }
  }
}

}  // namespace

std::vector<ExpectedCondition> expected_conditions(const Configuration& configuration) {
  std::vector<ExpectedCondition> found;
  if (std::holds_alternative<EmbeddedConfig>(configuration.netsim)) {
    if (access_network(configuration) == nullptr) {
      expect_deaf(configuration, found);
    }
    expect_misplaced(configuration, found);
  }
  if (std::string shortage = memory_shortage(configuration); !shortage.empty()) {
    found.push_back({.condition = {.name = "memory_short", .text = std::move(shortage)}});
  }
  return found;
}

std::optional<std::uint32_t> silent_mtu(const AirPlan& air, std::size_t ends, RobotIndex robot) {
  std::optional<std::uint32_t> least;
  const bool tells =
      robot.value() < air.stations.size() && air.stations[robot.value()] && air.stations[robot.value()]->icmp_mtu > 0;
  for (std::uint32_t to = 0; !tells && to < ends; ++to) {
    const LinkRules& rules = air.rules[link_of(robot, RobotIndex{to}, ends).value()];
    if (to != robot.value() && rules.mtu_bytes > 0) {
      least = std::min(least.value_or(rules.mtu_bytes), rules.mtu_bytes);
    }
  }
  return least;
}

std::optional<Condition> mtu_condition(const Configuration& configuration, const AirPlan& air, RobotIndex robot,
                                       std::uint32_t mtu) {
  const auto carried = silent_mtu(air, link_ends(configuration), robot);
  if (!carried || mtu <= *carried) {
    return std::nullopt;
  }
  const std::string& name = configuration.robots[robot.value()].name;
  return Condition{
      .name = "mtu_too_large",
      .about = name,
      .text = fmt::format("robot {}: its interface takes packets of up to {} B, its radio {} B: longer ones are "
                          "dropped as too_long; set {} to {} B",
                          name, mtu, *carried, configuration.lab ? "lab.mtu" : "the interface's MTU", *carried)};
}

std::vector<std::string> warnings(const Configuration& configuration, const AirPlan& air) {
  std::vector<ExpectedCondition> found = expected_conditions(configuration);
  for (std::uint32_t i = 0; configuration.lab && i < configuration.robots.size(); ++i) {
    if (auto condition = mtu_condition(configuration, air, RobotIndex{i}, configuration.lab->mtu)) {
      found.push_back({std::move(*condition), configuration.robots[i].line});
    }
  }
  std::vector<std::string> lines;
  for (const ExpectedCondition& expected : found) {
    lines.push_back(fmt::format("{}{}: {}", configuration.file.string(),
                                expected.line > 0 ? fmt::format(":{}", expected.line) : "", expected.condition.text));
  }
  return lines;
}

namespace {

constexpr double kLowest = -1;  // m; positions of objects on the ground may be slightly below it

}  // namespace

std::string fault_of_place(const Configuration& configuration, const Vec3& place) {
  const HeightGrid* const terrain = configuration.world.scene.ground.get();
  const double ground_m = terrain != nullptr ? terrain->at(place.x, place.y) : 0;
  if (place.z < ground_m + kLowest) {
    return fmt::format("at z = {:g} m is under the ground, which is {}", place.z,
                       terrain != nullptr ? fmt::format("at z = {:.1f} m there", ground_m) : "z = 0");
  }
  if (terrain != nullptr && !terrain->covers(place.x, place.y)) {
    return fmt::format("at {:g}, {:g} m is outside the terrain of physics.scene, whose edge is the ground there",
                       place.x, place.y);
  }
  for (const ObstacleConfig& obstacle : configuration.world.obstacles) {
    if (!obstacle.obstacle.wall_m && contains(obstacle.obstacle.box, place)) {
      return fmt::format("at {:g}, {:g}, {:g} m is within the solid obstacle '{}'", place.x, place.y, place.z,
                         obstacle.name);
    }
  }
  return {};
}

void find_place_conditions(const Configuration& configuration, const Scene& scene, std::vector<Condition>& found) {
  for (std::size_t i = 0; i < std::min(scene.robots.size(), configuration.robots.size()); ++i) {
    const std::string& name = configuration.robots[i].name;
    if (const std::string fault = fault_of_place(configuration, scene.robots[i].position); !fault.empty()) {
      found.push_back({.name = "robot_misplaced", .about = name, .text = fmt::format("robot {}: {}", name, fault)});
    }
  }
}

void find_mesh_conditions(const Configuration& configuration, const LinkTable& table, std::vector<Condition>& found) {
  if (table.routes == nullptr) {
    return;
  }
  for (const auto& parts : table.routes->parts) {
    std::string text;
    for (const std::vector<RobotIndex>& part : parts) {
      std::vector<std::string> names;
      for (const RobotIndex robot : part) {
        names.push_back(configuration.robots.at(robot.value()).name);
      }
      text += fmt::format("{}{}", text.empty() ? "" : " | ", name_list(names));
    }
    if (parts.size() > 1) {
      const std::string& first = configuration.robots.at(parts.front().front().value()).name;
      found.push_back({.name = "mesh_parted",
                       .about = first,
                       .text = fmt::format("mesh of robot {}: {} parts without a route between them: {}", first,
                                           parts.size(), text)});
    }
  }
}

namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kShown = 10s;  // after the last loss

std::string lost_text(const FrameLosses& losses) {
  std::string text;
  for (const auto& [cause, frames] : losses) {
    if (frames > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cause, frames);
    }
  }
  return text;
}

std::string overflow_text(const PortReport& port) {
  return fmt::format(
      "port {}: {} of {} B from its serial line are lost, because the radio sends more slowly than the "
      "line brings them and its buffer is full; {}",
      port.name, port.line.overflow, port.line.in,
      port.line.has_flow ? "the program at the line sends although it is asked to wait (rtscts)"
                         : "set `flow: rtscts`, so that the program at the line waits, or let it send less");
}

}  // namespace

Condition clock_step_condition(Nanoseconds step) {
  const std::string what = step > Nanoseconds{0}
                               ? fmt::format("went on by {:.1f} s while CLOCK_MONOTONIC stood", seconds_of(step))
                               : std::string("began anew while CLOCK_MONOTONIC went on");
  return {.name = "clock_stepped",
          .text = fmt::format("clock: the time-stamp counter {}, as after a suspension of the host: frames in flight "
                              "keep their delay, and whatever is not on this host was not suspended",
                              what),
          .is_logged = false};
}

void PortConditions::find_losses(const PortReport& port, std::vector<Condition>& found) {
  const std::uint64_t lost = total(port.lost_at_capture) + total(port.lost_at_sending);
  Seen& before = seen_[port.name];
  // What came until the port was open was kept out, as promised: robots talk before a run begins.
  if (before.up && lost > before.lost) {
    std::string text = fmt::format("port {}: loses frames beside the packet path", port.name);
    if (total(port.lost_at_capture) > 0) {
      text += fmt::format("; {} at capture ({})", total(port.lost_at_capture), lost_text(port.lost_at_capture));
    }
    if (total(port.lost_at_sending) > 0) {
      text += fmt::format("; {} at sending ({})", total(port.lost_at_sending), lost_text(port.lost_at_sending));
    }
    found.push_back({.name = "port_loses", .about = port.name, .text = std::move(text), .lasts = kShown});
  }
  if (port.line.overflow > before.overflow) {
    found.push_back({.name = "line_overflow", .about = port.name, .text = overflow_text(port), .lasts = kShown});
  }
  before.up = port.state == "up";
  before.lost = lost;
  before.overflow = port.line.overflow;
}

void PortConditions::find_early(const PortReport& port, std::vector<Condition>& found) {
  Seen& before = seen_[port.name];
  const StampStatistics& stamps = port.departures;
  if (stamps.totals.early > before.early) {
    found.push_back({.name = "released_early",
                     .about = port.name,
                     .text = fmt::format("port {}: {} of {} timestamped frames left before they were due, by the clock "
                                         "of the {}; delays are shorter than configured: please report this",
                                         port.name, stamps.totals.early, stamps.totals.count(), name_of(stamps.source)),
                     .lasts = kShown});
  }
  before.early = stamps.totals.early;
}

namespace {

void find_launch_time(const PortReport& port, std::vector<Condition>& found) {
  if (port.departures.launches.failed()) {
    found.push_back({.name = "launch_time_unused",
                     .about = port.name,
                     .text = fmt::format("port {}: {}: the packet loop keeps the instants at which frames leave, less "
                                         "exactly; `launch_time: off` for the port if it shall",
                                         port.name, port.departures.launch_problem)});
  }
}

}  // namespace

void PortConditions::find(const Configuration& configuration, const std::vector<PortReport>& ports, bool wired,
                          std::vector<Condition>& found) {
  for (const PortReport& port : ports) {
    if (port.state != "up") {
      const char* lab = configuration.lab && port.state == "absent" ? "; `hilgate lab up` creates it" : "";
      found.push_back({.name = "port_unplugged",
                       .about = port.name,
                       .text = fmt::format("port {}: {} is {}, its robots are unplugged: {}{}", port.name,
                                           port.interface, port.state, port.problem, lab),
                       .is_logged = false});
    }
    find_losses(port, found);
    find_early(port, found);
    find_launch_time(port, found);
  }
  if (wired) {
    found.push_back({.name = "wired",
                     .text = fmt::format("wire on: the robots are connected in the kernel and nothing is simulated; "
                                         "`hilgate wire off {}` ends this",
                                         configuration.name)});
  }
}

namespace {

using namespace std::chrono_literals;

// A simulator is silent after a second, or after some windows where they are long.
constexpr Nanoseconds kLeastSilence = 1s;
constexpr int kSilentWindows = 3;
// Refused positions show for so long.
constexpr Nanoseconds kRefusal = 5s;

void add_silence(const char* side, const std::string& event, std::optional<HostTime> asked, Nanoseconds patience,
                 HostTime now, std::vector<Condition>& found) {
  if (!asked || now - *asked < patience) {
    return;
  }
  const std::string why = event.starts_with(side) ? fmt::format(" ({})", event) : "";
  found.push_back({.name = "simulator_silent",
                   .about = side,
                   .text = fmt::format("{}: no answer for {:.1f} s; what it said last stays in force{}", side,
                                       seconds_of(now - *asked), why)});
}

void find_unplaced(const Configuration& configuration, const PositionFeed& feed, HostTime now,
                   std::vector<Condition>& found) {
  std::vector<std::string> unheard;
  std::vector<std::string> stale;
  Nanoseconds longest{0};
  const Bodies bodies(configuration.robots);
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    const std::optional<HostTime> heard = feed.heard(RobotIndex{body});  // a feed has bodies alone
    if (!heard) {
      unheard.push_back(bodies.names()[body]);
    } else if (now - *heard > feed.stale_after()) {
      stale.push_back(bodies.names()[body]);
      longest = std::max(longest, now - *heard);
    }
  }
  if (!unheard.empty()) {
    found.push_back(
        {.name = "position_missing",
         .about = "physics",
         .text = fmt::format("physics: no position received of {}: taken to be at 0, 0, 0{}", name_list(unheard),
                             feed.counters().unknown > 0 ? "; positions come of names that no robot has" : "")});
  }
  if (!stale.empty()) {
    found.push_back({.name = "position_stale",
                     .about = "physics",
                     .text = fmt::format("physics: no position for {:.1f} s of {}: held where it was last",
                                         seconds_of(longest), name_list(stale))});
  }
}

// What a simulator in another process leaves out of its scenes.
void find_left_out(const Configuration& configuration, const Scene& scene, std::vector<Condition>& found) {
  std::vector<std::string> left_out;
  const Bodies bodies(configuration.robots);
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const std::size_t radio = bodies.first_radio(body).value();
    if (radio < scene.robots.size() && !scene.robots[radio].placed) {
      left_out.push_back(bodies.names()[body]);
    }
  }
  if (!left_out.empty()) {
    found.push_back(
        {.name = "position_missing",
         .about = "physics",
         .text = fmt::format("physics: does not say where {} is: taken to be at 0, 0, 0", name_list(left_out))});
  }
}

void find_refused(const Configuration& configuration, const PositionFeed& feed, HostTime now,
                  std::vector<Condition>& found) {
  const Bodies bodies(configuration.robots);
  for (std::size_t body = 0; body < feed.sources().size(); ++body) {
    const FeedSource& source = feed.sources()[body];
    const std::string& robot = bodies.names()[body];
    if (!source.trouble.empty()) {
      found.push_back({.name = "position_refused",
                       .about = robot,
                       .text = fmt::format("robot {}: no positions can come: {}", robot, source.trouble)});
    } else if (source.refused && now - *source.refused < kRefusal) {
      found.push_back({.name = "position_refused",
                       .about = robot,
                       .text = fmt::format("robot {}: {} brings positions that are refused: so far {} no numbers, {} "
                                           "stamped in the future, {} too old",
                                           robot, source.name, source.malformed, source.future, source.old)});
    }
  }
}

}  // namespace

void find_simulator_conditions(const Configuration& configuration, const Windows& windows, HostTime now,
                               std::vector<Condition>& found) {
  const bool is_physics_external = physics_simulator(configuration) != nullptr;
  const bool is_network_external = external_netsim(configuration) != nullptr;
  const WindowEngine& engine = windows.engine();
  const std::string& event = windows.report().last_event;
  if ((is_physics_external || is_network_external) && !engine.running() && !engine.stopped()) {
    found.push_back(
        {.name = "simulator_missing",
         .text = fmt::format("the simulation has not begun: {}", event.empty() ? "waits for its simulators" : event),
         .is_logged = false});
    return;
  }
  const Nanoseconds patience = std::max<Nanoseconds>(kLeastSilence, kSilentWindows * configuration.window);
  if (is_physics_external) {
    add_silence("physics", event, engine.physics_asked(), patience, now, found);
  }
  if (is_network_external) {
    add_silence("netsim", event, engine.network_asked(), patience, now, found);
  }
  if (is_physics_external && windows.scene() == nullptr && engine.window() > kSilentWindows) {
    found.push_back({.name = "position_missing",
                     .about = "physics",
                     .text = "physics: no position of any robot received yet: nothing is in reach of anything"});
  }
  if (is_physics_external && windows.scene() != nullptr) {
    find_left_out(configuration, *windows.scene(), found);
  }
  if (const PositionFeed* feed = windows.feed()) {
    find_unplaced(configuration, *feed, now, found);
    find_refused(configuration, *feed, now, found);
  }
}

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
      return fmt::format("has sent nothing yet; is it running, and does UDP reach {}?", peer.address);
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
      return "has begun its simulation apart from this one; the one of most gateways continues, the others begin anew "
             "as it by themselves";
    default:
      return "is here";
  }
}

}  // namespace

Condition stopped_condition(const StoppedOutput& output) {
  return {.name = "output_stopped",
          .about = output.name,
          .text = fmt::format("{}: {}; {}", output.name, output.why, output.remedy),
          .is_logged = output.is_logged};
}

Condition dlep_interface_condition(const std::string& robot, const std::string& problem) {
  return {.name = "dlep_interface",
          .about = robot,
          .text = fmt::format("robot {}: DLEP: no router can connect: {}; tried again each second", robot, problem)};
}

Condition dlep_session_condition(const std::string& robot, const std::string& interface, const std::string& why) {
  return {.name = "dlep_session",
          .about = robot,
          .text = fmt::format("robot {}: DLEP: the router on {} knows no links: {}", robot, interface, why),
          .is_logged = false};
}

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

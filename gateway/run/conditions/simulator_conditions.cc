// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/simulator_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "gateway/run/conditions/name_list.h"
#include "physics_link/feeds/position_feed.h"

namespace hilgate {
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
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    const std::optional<HostTime> heard = feed.heard(RobotIndex{i});
    if (!heard) {
      unheard.push_back(configuration.robots[i].name);
    } else if (now - *heard > feed.stale_after()) {
      stale.push_back(configuration.robots[i].name);
      longest = std::max(longest, now - *heard);
    }
  }
  if (!unheard.empty()) {
    found.push_back(
        {.name = "position_missing",
         .about = "physics",
         .text = fmt::format("physics: no position received of {}: taken to be at 0, 0, 0", name_list(unheard))});
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
  for (std::size_t i = 0; i < std::min(scene.robots.size(), configuration.robots.size()); ++i) {
    if (!scene.robots[i].placed) {
      left_out.push_back(configuration.robots[i].name);
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
  for (std::size_t i = 0; i < feed.sources().size(); ++i) {
    const FeedSource& source = feed.sources()[i];
    const std::string& robot = configuration.robots[i].name;
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
  if ((is_physics_external || is_network_external) && !engine.running()) {
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

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// What a world is like, drawn from its seed: robots, ports, radios, impairments, and which promises hold in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/run/windows/window_options.h"
#include "path/settings/path_settings.h"
#include "tests/world/world_random.h"

namespace hilgate::test {

/// Drawn once for a world.
struct WorldPlan {
  explicit WorldPlan(std::uint64_t seed);

  /// Rules and media at random, where stations stay what they are: what a reload may change.
  [[nodiscard]] AirPlan air(WorldRandom& random) const;
  /// The state of every link, and where stations are attached: what a window may change.
  void fill(LinkTable& table, const AirPlan& air, WorldRandom& random) const;

  std::uint64_t seed;
  std::uint32_t robots = 0;         // of which the last two, in a hostile world, are the hostile one and its accomplice
  std::uint32_t access_points = 0;  // places behind the robots'
  std::uint32_t cores = 1;
  bool hostile = false;                // one robot attacks; others must not notice
  bool in_order = false;               // nothing on any link reorders
  bool twice = false;                  // duplication and second verdicts
  bool judged = false;                 // by a network simulator, packet by packet
  bool lying = false;                  // which says what it likes
  Nanoseconds patience{0};             // of the clock
  std::vector<std::uint32_t> port_of;  // by place
  std::vector<bool> bursts;            // by port: as DPDK's
  std::vector<Nanoseconds> least;      // by link: the least delay that a link state has
  PathSettings settings;
  WindowOptions windows;

  [[nodiscard]] std::uint32_t places() const { return robots + access_points; }
  [[nodiscard]] std::uint32_t ports() const { return static_cast<std::uint32_t>(bursts.size()); }
  /// For people.
  [[nodiscard]] std::string text() const;
  /// The two that are no part of what others do.
  [[nodiscard]] bool is_hostile(std::uint32_t robot) const { return hostile && robot + 2 >= robots; }

 private:
  void place_robots(WorldRandom& random);
  [[nodiscard]] Station some_station(WorldRandom& random) const;
  [[nodiscard]] LinkRules some_rules(WorldRandom& random) const;
  [[nodiscard]] std::shared_ptr<const Impairments> some_impairments(WorldRandom& random) const;

  std::vector<std::optional<Station>> stations_;
  std::vector<AirRole> roles_;
};

}  // namespace hilgate::test

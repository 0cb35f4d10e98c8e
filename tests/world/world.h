// SPDX-License-Identifier: Apache-2.0
// A gateway's core and everything around it, from a seed: robots, ports, clocks, simulators, media, reloads, crashes.
//
// The core is the real one: frame paths, hold, fates, media, parking, windows. After each step the world compares its
// own books (world_account.h) with the path's. What a world does follows from its seed alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frame/counters.h"
#include "tests/world/world_account.h"
#include "tests/world/world_clock.h"
#include "tests/world/world_control.h"
#include "tests/world/world_cores.h"
#include "tests/world/world_plan.h"
#include "tests/world/world_port.h"
#include "tests/world/world_traffic.h"

namespace hilgate::test {

struct WorldResult {
  std::string fault{};        // empty: all held
  std::uint64_t frames = 0;   // captured
  std::uint64_t left = 0;     // by the ports
  std::uint64_t digest = 0;   // of all that happened
  std::uint64_t watched = 0;  // of what became of the frames of robots that nobody may touch
  std::uint64_t steps = 0;
  std::uint64_t reloads = 0;
  std::uint64_t restarts = 0;
  std::array<std::uint64_t, kDropReasons> dropped{};
};

class World {
 public:
  /// `quiet`: the hostile robot, if there is one, sends nothing.
  World(const WorldPlan& plan, bool quiet);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Until so many frames were captured or steps made, and all frames are gone; or until the first fault.
  WorldResult run(std::uint64_t frames, std::uint64_t steps = ~std::uint64_t{0});

 private:
  void start();
  void restart();
  void step();
  void settle();
  void arrivals();
  void arrive(const WorldTraffic::Arrival& arrival);
  void disturb();
  void reload();
  void iterate();
  void check();
  void finish();

  const WorldPlan& plan_;
  const bool quiet_;
  WorldFaults faults_;
  WorldRandom random_;
  WorldRandom hostile_random_;
  WorldClock clock_;
  WorldMemory memory_;
  WorldAccount account_;
  WorldTraffic traffic_;
  std::vector<std::unique_ptr<WorldPort>> ports_;
  PathSettings settings_;  // of now
  LinkTable table_;        // of now
  std::unique_ptr<WorldCores> cores_;
  std::unique_ptr<WorldControl> control_;
  std::uint64_t steps_ = 0;
  std::size_t bytes_ = 0;  // of the cores, when they were made
  WorldResult result_;
};

/// The world of this seed: what it says of itself, what it says a second time, and what a hostile robot changes.
WorldResult check_world(std::uint64_t seed, std::uint64_t frames);

}  // namespace hilgate::test

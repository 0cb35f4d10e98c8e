// SPDX-License-Identifier: Apache-2.0
// daemon_worlds [--frames N] [--from SEED]   daemons of SEED, SEED + 1, ... (1) until N frames (300000) have gone
//                                            through them
// daemon_worlds --seed SEED                  that one, as a failure names it
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <iostream>
#include <span>

#include "tests/world/daemon_world.h"
#include "tests/world/world_arguments.h"

namespace {

using hilgate::test::DaemonWorldResult;

constexpr std::uint64_t kFramesOfWorld = 20'000;

void add(DaemonWorldResult& sum, const DaemonWorldResult& world) {
  sum.frames += world.frames;
  sum.left += world.left;
  sum.windows += world.windows;
  sum.requests += world.requests;
  sum.changes += world.changes;
  sum.refused += world.refused;
  sum.scenarios += world.scenarios;
  sum.digest = sum.digest * 31 + world.digest;
}

}  // namespace

int main(int argc, char** argv) {
  const auto wanted = hilgate::test::read_arguments(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (!wanted) {
    std::cerr << "usage: daemon_worlds [--frames N] [--from SEED] | daemon_worlds --seed SEED\n";
    return 2;
  }
  spdlog::set_level(wanted->seed ? spdlog::level::info : spdlog::level::off);
  DaemonWorldResult sum;
  std::uint64_t worlds = 0;
  for (std::uint64_t seed = wanted->seed.value_or(wanted->from);
       worlds == 0 || (!wanted->seed && sum.frames < wanted->frames); ++seed) {
    const DaemonWorldResult world = hilgate::test::check_daemon_world(seed, kFramesOfWorld);
    if (!world.fault.empty()) {
      std::cerr << fmt::format("world {}: {}\n{}\nagain: {} --seed {}\n", seed, world.fault,
                               hilgate::test::daemon_world_text(seed), argv[0], seed);
      return 1;
    }
    add(sum, world);
    ++worlds;
  }
  fmt::print(
      "{} daemons, {} frames, {} left, {} windows, {} requests, {} changes, {} refused, {} scenarios, digest "
      "{:016x}\n",
      worlds, sum.frames, sum.left, sum.windows, sum.requests, sum.changes, sum.refused, sum.scenarios, sum.digest);
  return 0;
}

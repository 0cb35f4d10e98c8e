// SPDX-License-Identifier: Apache-2.0
// worlds [--frames N] [--from SEED]   worlds of SEED, SEED + 1, ... (1) until N frames (300000) have gone through them
// worlds --seed SEED                  that one, as a failure names it
#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <span>

#include <fmt/format.h>

#include "tests/world/world.h"
#include "tests/world/world_arguments.h"

namespace {

using hilgate::test::check_world;
using hilgate::test::WorldResult;

constexpr std::uint64_t kFramesOfWorld = 20'000;

void add(WorldResult& sum, const WorldResult& world) {
  sum.frames += world.frames;
  sum.left += world.left;
  sum.steps += world.steps;
  sum.reloads += world.reloads;
  sum.restarts += world.restarts;
  sum.digest = sum.digest * 31 + world.digest;
  for (std::size_t i = 0; i < hilgate::kDropReasons; ++i) {
    sum.dropped[i] += world.dropped[i];
  }
}

void print(const WorldResult& sum, std::uint64_t worlds, double seconds) {
  fmt::print("{} worlds, {} frames, {} released, {} steps, {} reloads, {} restarts, digest {:016x}, {:.0f} s\n", worlds,
             sum.frames, sum.left, sum.steps, sum.reloads, sum.restarts, sum.digest, seconds);
  for (std::size_t i = 0; i < hilgate::kDropReasons; ++i) {
    fmt::print("  {} {}\n", name(static_cast<hilgate::DropReason>(i)), sum.dropped[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto wanted = hilgate::test::read_arguments(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (!wanted) {
    std::cerr << "usage: worlds [--frames N] [--from SEED] | worlds --seed SEED\n";
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  WorldResult sum;
  std::uint64_t worlds = 0;
  for (std::uint64_t seed = wanted->seed.value_or(wanted->from);
       worlds == 0 || (!wanted->seed && sum.frames < wanted->frames); ++seed) {
    const WorldResult world = check_world(seed, kFramesOfWorld);
    if (!world.fault.empty()) {
      std::cerr << fmt::format("world {}: {}\n{}\nagain: {} --seed {}\n", seed, world.fault,
                               hilgate::test::WorldPlan(seed).text(), argv[0], seed);
      return 1;
    }
    add(sum, world);
    ++worlds;
  }
  print(sum, worlds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}

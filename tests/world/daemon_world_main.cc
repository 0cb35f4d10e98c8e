// SPDX-License-Identifier: Apache-2.0
// daemon_worlds [--frames N] [--from SEED]         daemons of SEED, SEED + 1, ... (1) until N frames (300000) have gone
//                                                  through them
// daemon_worlds --site [--frames N] [--from SEED]  sites of three daemons, likewise
// daemon_worlds [--site] --seed SEED               that one, as a failure names it
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "tests/world/daemon_world.h"
#include "tests/world/site_world.h"
#include "tests/world/world_arguments.h"

namespace {

using hilgate::test::DaemonWorldResult;
using hilgate::test::SiteWorldResult;

constexpr std::uint64_t kFramesOfWorld = 20'000;

void add(DaemonWorldResult& sum, const DaemonWorldResult& world) {
  sum.frames += world.frames;
  sum.left += world.left;
  sum.windows += world.windows;
  sum.requests += world.requests;
  sum.changes += world.changes;
  sum.refused += world.refused;
  sum.scenarios += world.scenarios;
  sum.manners += world.manners;
  sum.verdicts += world.verdicts;
  sum.silences += world.silences;
  sum.halts += world.halts;
  sum.recorded += world.recorded;
  sum.digest = sum.digest * 31 + world.digest;
}
void add(SiteWorldResult& sum, const SiteWorldResult& world) {
  sum.frames += world.frames;
  sum.released += world.released;
  sum.crossed += world.crossed;
  sum.lost += world.lost;
  sum.windows += world.windows;
  sum.partitions += world.partitions;
  sum.kills += world.kills;
  sum.clock_steps += world.clock_steps;
  sum.changes += world.changes;
  sum.reloads += world.reloads;
  sum.refused += world.refused;
  sum.safe += world.safe;
  sum.began_anew += world.began_anew;
  sum.compared += world.compared;
  sum.digest = sum.digest * 31 + world.digest;
}

std::string text_of(const DaemonWorldResult& sum, std::uint64_t worlds) {
  return fmt::format(
      "{} daemons, {} frames, {} left, {} windows, {} requests, {} changes, {} refused, {} scenarios, {} manners of "
      "simulators, {} verdicts, {} times silent, {} halts, {} tables recorded, digest {:016x}",
      worlds, sum.frames, sum.left, sum.windows, sum.requests, sum.changes, sum.refused, sum.scenarios, sum.manners,
      sum.verdicts, sum.silences, sum.halts, sum.recorded, sum.digest);
}
std::string text_of(const SiteWorldResult& sum, std::uint64_t worlds) {
  return fmt::format(
      "{} sites, {} frames, {} released, {} from gateway to gateway, {} lost there, {} windows, {} partitions, {} "
      "kills, {} clock steps, {} changes, {} reloads, {} refused, {} frames that nothing might lose, {} began anew, {} "
      "links compared, digest {:016x}",
      worlds, sum.frames, sum.released, sum.crossed, sum.lost, sum.windows, sum.partitions, sum.kills, sum.clock_steps,
      sum.changes, sum.reloads, sum.refused, sum.safe, sum.began_anew, sum.compared, sum.digest);
}

/// `check` of a seed; `describe` what its configuration is.
template <class Check, class Describe>
int run(const hilgate::test::WorldArguments& wanted, const std::string& command, Check check, Describe describe) {
  decltype(check(std::uint64_t{})) sum;
  std::uint64_t worlds = 0;
  for (std::uint64_t seed = wanted.seed.value_or(wanted.from);
       worlds == 0 || (!wanted.seed && sum.frames < wanted.frames); ++seed) {
    const auto world = check(seed);
    if (!world.fault.empty()) {
      std::cerr << fmt::format("world {}: {}\n{}\nagain: {} --seed {}\n", seed, world.fault, describe(seed), command,
                               seed);
      return 1;
    }
    add(sum, world);
    ++worlds;
  }
  fmt::print("{}\n", text_of(sum, worlds));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace hilgate::test;
  std::span<char*> arguments = std::span(argv, static_cast<std::size_t>(argc)).subspan(1);
  const bool site = !arguments.empty() && std::string_view(arguments[0]) == "--site";
  const auto wanted = read_arguments(site ? arguments.subspan(1) : arguments);
  if (!wanted) {
    std::cerr << "usage: daemon_worlds [--site] [--frames N] [--from SEED] | daemon_worlds [--site] --seed SEED\n";
    return 2;
  }
  spdlog::set_level(wanted->seed ? spdlog::level::info : spdlog::level::off);
  if (site) {
    return run(*wanted, fmt::format("{} --site", argv[0]), check_site_world, site_world_text);
  }
  return run(
      *wanted, argv[0], [](std::uint64_t seed) { return check_daemon_world(seed, kFramesOfWorld); }, daemon_world_text);
}

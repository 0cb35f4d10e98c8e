// SPDX-License-Identifier: Apache-2.0
// Frames per second through the path on several cores against one, in turns; and what the same processors do
// concurrently without a path.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "bench/path/bench_core.h"
#include "bench/path/bench_memory.h"
#include "bench/path/cores_bench.h"
#include "bench/path/cores_rig.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCoresRounds = 5;

struct Several {
  std::vector<double> one, all, one_forwarder, all_forwarders, crossed, lost;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Several measure_cores(const ThroughputOptions& options, CoresRig& rig) {
  const Nanoseconds each = options.duration / static_cast<std::int64_t>(2 * kCoresRounds);
  Several found;
  for (std::size_t round = 0; round < kCoresRounds; ++round) {
    found.one.push_back(rig.run(1, 0, each).pps);
    const CoresMeasured all = rig.run(options.cores, options.crossing, each);
    found.all.push_back(all.pps);
    found.crossed.push_back(all.crossed);
    found.lost.push_back(all.lost);
    found.one_forwarder.push_back(rig.forward(1, each / 4));
    found.all_forwarders.push_back(rig.forward(options.cores, each / 4));
  }
  return found;
}

nlohmann::ordered_json range(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  return {*least, median(values), *most};
}

nlohmann::ordered_json cores_json(const ThroughputOptions& options, const Several& found) {
  return {{"cores", options.cores},
          {"crossing_percent", options.crossing},
          {"pps", median(found.all)},
          {"one_core_pps", median(found.one)},
          {"ratio", median(found.all) / median(found.one)},
          {"forwarders_pps", median(found.all_forwarders)},
          {"one_forwarder_pps", median(found.one_forwarder)},
          {"forwarders_ratio", median(found.all_forwarders) / median(found.one_forwarder)},
          {"crossed", median(found.crossed)},
          {"lost", median(found.lost)},
          {"size", options.size},
          {"rounds", {{"pps", range(found.all)}, {"one_core_pps", range(found.one)}}}};
}

void print_cores(const ThroughputOptions& options, const Several& found) {
  const auto bar = [](std::string name, const std::vector<double>& values) {
    return BenchBar{std::move(name), median(values), with_prefix(median(values)) + "pps"};
  };
  print_bars(fmt::format("{} cores, {} % of the frames to another ({:.0f} % were), {} bytes: {:.2f} times one core",
                         options.cores, options.crossing, 100 * median(found.crossed), options.size,
                         median(found.all) / median(found.one)),
             {bar("one core", found.one), bar(fmt::format("{} cores", options.cores), found.all)});
  print_bars(fmt::format("  handed on without a path: {:.2f} times one core",
                         median(found.all_forwarders) / median(found.one_forwarder)),
             {bar("one core", found.one_forwarder), bar(fmt::format("{} cores", options.cores), found.all_forwarders)});
  fmt::print("  {:.2f} % of the frames found a full ring\n", 100 * median(found.lost));
}

}  // namespace

int bench_cores(const ThroughputOptions& options) {
  const BenchCore processors;
  if (options.cores > processors.all().size() || options.cores > 16) {
    throw std::runtime_error(fmt::format("--cores {}: allowed are 1 to {}, the processors that this process may use",
                                         options.cores, std::min<std::size_t>(processors.all().size(), 16)));
  }
  if (options.crossing > 100) {
    throw std::runtime_error(fmt::format("--crossing {}: allowed are 0 to 100 percent", options.crossing));
  }
  if (options.search) {
    throw std::runtime_error("--search is for one core");
  }
  const Load load = loads_of(options.size).front();
  const LoadDevices devices(std::vector<Load>(options.cores, load));
  const std::uint32_t frames = LoadRig::kPoolFrames * options.cores;
  const BenchMemory memory = bench_memory(mbuf_bytes(frames, devices.largest), 0, "bench throughput --cores");
  const Eal eal(bench_eal(memory, devices.words));
  const TscClock clock;
  MbufPool pool("bench", frames, devices.largest);
  const auto& all = processors.all();
  unsigned next_device = 0;
  CoresRig rig({all.end() - options.cores, all.end()}, load, next_device, pool, clock, options.delay);
  const Several found = measure_cores(options, rig);
  if (options.json) {
    nlohmann::ordered_json json = cores_json(options, found);
    json["memory"] = memory.name();
    print_json(json);
  } else {
    print_cores(options, found);
  }
  return 0;
}

}  // namespace hilgate

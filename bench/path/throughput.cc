// SPDX-License-Identifier: Apache-2.0
// Frames per second through the whole path, from two net_null devices that copy, with a bit error rate of 1e-5 and 1 ms
// of delay, on one core; and what testpmd forwards between such devices, in turns with it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bench/path/bench_core.h"
#include "bench/path/bench_memory.h"
#include "bench/path/cores_bench.h"
#include "bench/path/load_rig.h"
#include "bench/path/path_bench.h"
#include "bench/path/testpmd.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

struct Row {
  std::string name;
  double size = 0;
  double pps = 0;
  std::optional<double> testpmd;
  std::optional<double> forwarder;  // the same devices, as many frames held, no path
  Measured measured;                // of the median
  std::optional<double> zero_loss;

  [[nodiscard]] std::optional<double> ratio() const { return testpmd ? std::optional(pps / *testpmd) : std::nullopt; }
  [[nodiscard]] double gbps() const { return pps * size * 8e-9; }
};

// What testpmd makes of a mix follows from what it makes of each size.
std::optional<double> yardstick(const BenchCore& core, const Load& load, unsigned seconds) {
  double time = 0;
  double frames = 0;
  for (const NullDevice& device : load.devices) {
    const auto pps = testpmd_pps(core, device.size, seconds);
    if (!pps) {
      return std::nullopt;
    }
    time += device.share / *pps;
    frames += device.share;
  }
  return frames / time;
}

Row measure(const ThroughputOptions& options, const BenchCore& core, const Load& load, LoadRig& rig) {
  const std::size_t rounds = options.duration >= 3s ? 3 : 1;
  const Nanoseconds each = options.duration / static_cast<std::int64_t>(rounds);
  std::vector<Measured> ours;
  std::vector<double> theirs;
  std::vector<double> holding;
  for (std::size_t round = 0; round < rounds; ++round) {
    if (const auto pps = yardstick(core, load, each >= 2s ? 2 : 1)) {
      theirs.push_back(*pps);
    }
    ours.push_back(rig.run(each));
    holding.push_back(rig.forward(each / 4, static_cast<std::size_t>(ours.back().held)));
  }
  std::ranges::sort(holding);
  std::ranges::sort(ours, {}, &Measured::pps);
  std::ranges::sort(theirs);
  Row row{.name = load.name,
          .size = load.mean_size(),
          .testpmd = {},
          .forwarder = holding[rounds / 2],
          .measured = ours[rounds / 2],
          .zero_loss = {}};
  row.pps = row.measured.pps();
  if (!theirs.empty()) {
    row.testpmd = theirs[theirs.size() / 2];
  }
  if (options.search) {
    const Nanoseconds trial = std::max<Nanoseconds>(each / 4, 10ms);
    RateSearch search([&](double pps) { return rig.offer(pps, trial); }, {.most = row.pps * 1.2, .trials = 1});
    row.zero_loss = search.highest(0).rate;
  }
  return row;
}

nlohmann::ordered_json to_json(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

double per_frame(const Row& row, std::uint64_t StageCycles::*stage) {
  return static_cast<double>(row.measured.cycles.*stage) /
         static_cast<double>(std::max<std::uint64_t>(row.measured.captured, 1));
}

nlohmann::ordered_json to_json(const Row& row) {
  nlohmann::ordered_json json{{"pps", row.pps},
                              {"testpmd_pps", to_json(row.testpmd)},
                              {"ratio", to_json(row.ratio())},
                              {"holding_forwarder_pps", to_json(row.forwarder)},
                              {"size", row.name},
                              {"gbps", row.gbps()},
                              {"held", row.measured.held},
                              {"cycles_per_frame",
                               {{"receive", per_frame(row, &StageCycles::receive)},
                                {"decide", per_frame(row, &StageCycles::decide)},
                                {"release", per_frame(row, &StageCycles::release)},
                                {"transmit", per_frame(row, &StageCycles::transmit)}}}};
  if (row.zero_loss) {
    json["zero_loss_pps"] = *row.zero_loss;
  }
  return json;
}

void print(const Row& row) {
  std::vector<BenchBar> rates{{"hilgate", row.pps, with_prefix(row.pps) + "pps"}};
  if (row.testpmd) {
    rates.push_back({"testpmd io", *row.testpmd, with_prefix(*row.testpmd) + "pps"});
  }
  if (row.forwarder) {
    rates.push_back({"as many held", *row.forwarder, with_prefix(*row.forwarder) + "pps"});
  }
  if (row.zero_loss) {
    rates.push_back({"without loss", *row.zero_loss, with_prefix(*row.zero_loss) + "pps"});
  }
  print_bars(fmt::format("frames of {} bytes: {:.1f} Gbit/s, {}", row.name, row.gbps(),
                         row.ratio() ? fmt::format("{:.2f} of testpmd", *row.ratio())
                                     : "dpdk-testpmd not found in PATH, no comparison (Debian package: dpdk-dev)"),
             rates);
  const auto stage = [&row](const char* name, std::uint64_t StageCycles::*which) {
    return BenchBar{name, per_frame(row, which), fmt::format("{:.1f}", per_frame(row, which))};
  };
  print_bars("  cycles per frame",
             {stage("receive", &StageCycles::receive), stage("decide", &StageCycles::decide),
              stage("release", &StageCycles::release), stage("transmit", &StageCycles::transmit)});
}

}  // namespace

int bench_throughput_command(const ThroughputOptions& options) {
  if (options.delay < 0ns || options.delay > 2ms) {
    throw std::runtime_error(fmt::format("--delay {} ns: allowed are 0 to 2ms", options.delay.count()));
  }
  if (options.cores == 0 || (options.cores == 1 && options.crossing > 0)) {
    throw std::runtime_error(fmt::format("--cores {} --crossing {}: frames cross between at least 2 cores",
                                         options.cores, options.crossing));
  }
  if (options.cores > 1) {
    return bench_cores(options);
  }
  const std::vector<Load> loads = loads_of(options.size);
  const BenchCore core;
  const LoadDevices devices(loads);
  const BenchMemory memory = bench_memory(mbuf_bytes(LoadRig::kPoolFrames, devices.largest), 0, "bench throughput");
  const Eal eal(bench_eal(memory, devices.words));
  core.stay();
  const TscClock clock;
  MbufPool pool("bench", LoadRig::kPoolFrames, devices.largest);
  std::vector<Row> rows;
  unsigned next_device = 0;
  for (const Load& load : loads) {
    LoadRig rig(load, next_device, pool, clock, options.delay);
    rows.push_back(measure(options, core, load, rig));
  }
  if (!options.json) {
    fmt::print("net_null, {}, processor {}\n", memory.name(), core.measured());
    std::ranges::for_each(rows, [](const Row& row) { print(row); });
    return 0;
  }
  nlohmann::ordered_json json = to_json(rows.front());
  json["memory"] = memory.name();
  json["cpu"] = core.measured();
  for (const Row& row : rows) {
    json["rows"].push_back(to_json(row));
  }
  print_json(json);
  return 0;
}

}  // namespace hilgate

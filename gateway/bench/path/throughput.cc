// SPDX-License-Identifier: Apache-2.0
// Frames per second through the whole path, from two net_null devices that copy, with a bit error rate of 1e-5 and 1 ms
// of delay, on one core; and what testpmd forwards between such devices, in turns with it.
//
// The search is that of RFC 2544, 26.1: the highest even load of which nothing is lost, by bisection.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "gateway/bench/path/bench_core.h"
#include "gateway/bench/path/bench_memory.h"
#include "gateway/bench/path/bench_report.h"
#include "gateway/bench/path/null_port.h"
#include "gateway/bench/path/path_bench.h"
#include "gateway/bench/path/testpmd.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kPoolFrames = 131'072;  // 1 ms at 100 Mpps and what rings and caches hold
constexpr Nanoseconds kDelay = 1ms;
constexpr Nanoseconds kWarmUp = 20ms;
constexpr std::uint64_t kQueue = 4096;  // frames that a port's queue holds in the search
constexpr int kSearchSteps = 9;         // to 1/400 of the range

struct Load {
  std::string name;
  std::vector<NullDevice> devices;  // of one port; without their names

  [[nodiscard]] double mean_size() const {
    double bytes = 0;
    double shares = 0;
    for (const NullDevice& device : devices) {
      bytes += device.size * device.share;
      shares += device.share;
    }
    return bytes / shares;
  }
};

// The mix of 7, 4 and 1 frames of 64, 570 and 1518 bytes that testers call IMIX.
Load imix() {
  return {"imix", {{"", 64, 7}, {"", 570, 4}, {"", 1518, 1}}};
}
Load one_size(std::uint32_t size) {
  return {std::to_string(size), {{"", size, 1}}};
}

std::vector<Load> loads_of(const std::string& word) {
  if (word == "imix") {
    return {imix()};
  }
  if (word == "all") {
    std::vector<Load> loads;
    for (const std::uint32_t size : {64U, 128U, 256U, 512U, 1024U, 1280U, 1518U}) {
      loads.push_back(one_size(size));
    }
    loads.push_back(imix());
    return loads;
  }
  std::uint32_t size = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
  if (error != std::errc{} || end != word.data() + word.size() || size < 64 || size > 1518) {
    throw std::runtime_error(fmt::format("--size '{}': allowed are 64 to 1518 bytes, imix, all", word));
  }
  return {one_size(size)};
}

struct Row {
  std::string name;
  double size = 0;
  double pps = 0;
  std::optional<double> testpmd;
  Measured measured;  // of the median
  std::optional<double> zero_loss;

  [[nodiscard]] std::optional<double> ratio() const { return testpmd ? std::optional(pps / *testpmd) : std::nullopt; }
  [[nodiscard]] double gbps() const { return pps * size * 8e-9; }
};

/// Two ports with the devices of one load, and the path between them.
class LoadRig {
 public:
  LoadRig(const Load& load, unsigned& next_device, MbufPool& pool, const TscClock& clock) {
    for (unsigned robot = 0; robot < 2; ++robot) {
      std::vector<NullDevice> devices = load.devices;
      for (NullDevice& device : devices) {
        device.device = fmt::format("net_null{}", next_device++);
      }
      ports_.push_back(std::make_unique<NullPort>(robot, devices, pool, clock));
    }
    path_.emplace(bench_settings(kPoolFrames), std::vector<NullPort*>{ports_[0].get(), ports_[1].get()}, pool, clock);
    path_->set_air(kDelay, kBitErrorRate);
  }

  Measured run(Nanoseconds duration) {
    path_->run(kWarmUp);
    return path_->run(duration);
  }
  bool loses_nothing(double pps, Nanoseconds duration) {
    for (auto& port : ports_) {
      port->offer(pps / 2, kQueue);
    }
    const Measured measured = path_->run(duration);
    return measured.dropped - header_hits() == 0 && ports_[0]->lost() + ports_[1]->lost() == 0;
  }

 private:
  // Frames that the simulated air has hit in the header are no loss of the path.
  std::uint64_t header_hits() {
    const std::uint64_t all = path_->totals().dropped[static_cast<std::size_t>(DropReason::kHeaderHit)];
    return all - std::exchange(header_hits_, all);
  }

  std::vector<std::unique_ptr<NullPort>> ports_;
  std::optional<BenchPath<NullPort>> path_;
  std::uint64_t header_hits_ = 0;
};

double zero_loss_rate(LoadRig& rig, double most, Nanoseconds trial) {
  double good = 0;
  double bad = most;
  for (int step = 0; step < kSearchSteps; ++step) {
    const double middle = (good + bad) / 2;
    (rig.loses_nothing(middle, trial) ? good : bad) = middle;
  }
  return good;
}

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
  for (std::size_t round = 0; round < rounds; ++round) {
    if (const auto pps = yardstick(core, load, each >= 2s ? 2 : 1)) {
      theirs.push_back(*pps);
    }
    ours.push_back(rig.run(each));
  }
  std::ranges::sort(ours, {}, &Measured::pps);
  std::ranges::sort(theirs);
  Row row{.name = load.name, .size = load.mean_size(), .testpmd = {}, .measured = ours[rounds / 2], .zero_loss = {}};
  row.pps = row.measured.pps();
  if (!theirs.empty()) {
    row.testpmd = theirs[theirs.size() / 2];
  }
  if (options.search) {
    row.zero_loss = zero_loss_rate(rig, row.pps * 1.2, std::max<Nanoseconds>(each / 4, 10ms));
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
  const std::vector<Load> loads = loads_of(options.size);
  const BenchCore core;
  std::vector<std::string> devices;
  std::uint32_t largest = 0;
  for (const Load& load : loads) {
    for (unsigned robot = 0; robot < 2; ++robot) {
      for (const NullDevice& device : load.devices) {
        devices.push_back(fmt::format("net_null{},size={},copy=1", devices.size(), device.size));
        largest = std::max(largest, device.size);
      }
    }
  }
  const BenchMemory memory = bench_memory(mbuf_bytes(kPoolFrames, largest), 0, "bench throughput");
  const Eal eal(bench_eal(memory, devices));
  core.stay();
  const TscClock clock;
  MbufPool pool("bench", kPoolFrames, static_cast<std::uint16_t>(largest));
  std::vector<Row> rows;
  unsigned next_device = 0;
  for (const Load& load : loads) {
    LoadRig rig(load, next_device, pool, clock);
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

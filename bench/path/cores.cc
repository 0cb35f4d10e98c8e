// SPDX-License-Identifier: Apache-2.0
// Frames per second through the path on several cores against one, in turns; and what the same processors do
// concurrently without a path.
#include <fmt/format.h>
#include <rte_lcore.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "bench/path/bench_memory.h"
#include "bench/path/load_rig.h"
#include "bench/path/null_port.h"
#include "bench/path/path_bench.h"
#include "frame/spsc_ring.h"
#include "path/cores/crossings.h"

namespace hilgate {
namespace {

// The packet path on several cores: each has two ports of net_null devices that copy, whose robots send to one another,
// or to those of the next core. Bit error rate and delay as LoadRig's.

struct CoresMeasured {
  double pps = 0;      // released, of all cores together
  double crossed = 0;  // share of these that changed cores
  double lost = 0;     // share of the captured frames that found a full ring or hold; without the air's losses
};

class CoresRig {
 public:
  /// On as many processors as there are cores. `next_device`: the first of the load's devices; becomes the next free.
  CoresRig(const std::vector<unsigned>& processors, const Load& load, unsigned& next_device, MbufPool& pool,
           const TscClock& clock, Nanoseconds delay);
  ~CoresRig();
  CoresRig(const CoresRig&) = delete;
  CoresRig& operator=(const CoresRig&) = delete;

  /// The first `cores` of them at once, each with a thread of its own, where `percent` of the frames go to another. The
  /// others are idle.
  CoresMeasured run(std::size_t cores, unsigned percent, Nanoseconds duration);
  /// Frames per second that these processors hand from port to port without a path, at once: the machine's throughput
  /// with all of them busy. `across`: each hands what it captures to the next by a ring, and releases what the one
  /// before it has captured: what the machine allows where all frames change processors.
  double forward(std::size_t cores, Nanoseconds duration, bool across);

 private:
  struct Core {
    unsigned processor = 0;
    std::vector<std::unique_ptr<NullPort>> ports;
    std::vector<const CrossingRing*> to;  // by core
    std::unique_ptr<BenchPath<NullPort>> path;
  };

  MbufPool& pool_;
  const TscClock& clock_;
  CrossingRings rings_;
  std::vector<Core> cores_;
};

using namespace std::chrono_literals;

constexpr Nanoseconds kCoresWarmUp = 20ms;
constexpr std::size_t kRing = 65'536;  // as the defaults of `memory` give

/// work(core) on a thread per core, all from the same moment on.
template <class Work>
void on_cores(std::span<const unsigned> processors, Work work) {
  std::barrier start(static_cast<std::ptrdiff_t>(processors.size()));
  std::vector<std::jthread> threads;
  for (std::size_t core = 0; core < processors.size(); ++core) {
    threads.emplace_back([&, core] {
      BenchCore::stay_on(processors[core]);
      rte_thread_register();  // with a cache of its own in front of the pool
      start.arrive_and_wait();
      work(core);
      start.arrive_and_wait();
      rte_thread_unregister();
    });
  }
}

std::uint64_t found_full(const PathTotals& totals) {
  std::uint64_t sum = 0;
  for (const DropReason reason : {DropReason::kHoldFull, DropReason::kCrossingFull, DropReason::kTxFull}) {
    sum += totals.dropped[static_cast<std::size_t>(reason)];
  }
  return sum;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

CoresRig::CoresRig(const std::vector<unsigned>& processors, const Load& load, unsigned& next_device, MbufPool& pool,
                   const TscClock& clock, Nanoseconds delay)
    : pool_(pool), clock_(clock), rings_(processors.size(), kRing), cores_(processors.size()) {
  std::vector<std::size_t> core_of_port;
  for (unsigned core = 0; core < cores_.size(); ++core) {
    cores_[core].processor = processors[core];
    for (unsigned i = 0; i < 2; ++i) {
      std::vector<NullDevice> devices = load.devices;
      for (NullDevice& device : devices) {
        device.device = fmt::format("net_null{}", next_device++);
      }
      cores_[core].ports.push_back(std::make_unique<NullPort>(2 * core + i, devices, pool, clock));
      core_of_port.push_back(core);
    }
  }
  const PathSettings settings =
      bench_settings(LoadRig::kPoolFrames, ErrorPolicy::kCorruptRaw, static_cast<std::uint32_t>(core_of_port.size()));
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    Crossings crossings = rings_.of(core, core_of_port);
    for (std::size_t other = 0; other < cores_.size(); ++other) {
      cores_[core].to.push_back(other == core ? nullptr : crossings.to_port[2 * other]);
    }
    std::vector<NullPort*> own(core_of_port.size());
    own[2 * core] = cores_[core].ports[0].get();
    own[2 * core + 1] = cores_[core].ports[1].get();
    cores_[core].path = std::make_unique<BenchPath<NullPort>>(settings, own, pool, clock, std::move(crossings));
    cores_[core].path->set_air(delay, kBitErrorRate);
  }
}

CoresRig::~CoresRig() {
  std::ranges::for_each(cores_, [](Core& core) { core.path->drain(); });
}

CoresMeasured CoresRig::run(std::size_t cores, unsigned percent, Nanoseconds duration) {
  std::vector<unsigned> processors;
  for (unsigned core = 0; core < cores; ++core) {
    const auto next = static_cast<unsigned>((core + 1) % cores);
    for (unsigned i = 0; i < 2; ++i) {
      cores_[core].ports[i]->offer_without_end();
      const unsigned near = 2 * core + (1 - i);
      if (cores > 1 && percent > 0) {
        cores_[core].ports[i]->send_to(near, 2 * next + (1 - i), percent, cores_[core].to[next]);
      } else {
        cores_[core].ports[i]->send_to(near, near, 0, nullptr);
      }
    }
    processors.push_back(cores_[core].processor);
  }
  std::vector<PathTotals> before(cores);
  std::vector<double> pps(cores);
  on_cores(processors, [&](std::size_t core) {
    BenchPath<NullPort>& path = *cores_[core].path;
    path.run(kCoresWarmUp);
    before[core] = path.totals();
    pps[core] = path.run(duration).pps();
  });
  CoresMeasured measured;
  std::uint64_t released = 0, crossed = 0, captured = 0, full = 0;
  for (std::size_t core = 0; core < cores; ++core) {
    const PathTotals& after = cores_[core].path->totals();
    measured.pps += pps[core];
    released += after.released - before[core].released;
    crossed += after.crossed_in - before[core].crossed_in;
    captured += after.frames_captured - before[core].frames_captured;
    full += found_full(after) - found_full(before[core]);
  }
  measured.crossed = share(crossed, released);
  measured.lost = share(full, captured);
  return measured;
}

/// Captures at `from` into `to_next`, and releases what is in `to_this` at `to`; returns how many.
std::size_t forward_across(NullPort& from, SpscRing<Frame>& to_next, SpscRing<Frame>& to_this, NullPort& to,
                           MbufPool& pool) {
  std::array<Frame, NullPort::kBurst> burst;
  const std::size_t captured = to_next.waiting() <= NullPort::kMostWaiting ? from.capture(burst) : 0;
  for (const Frame& frame : std::span(burst).first(captured)) {
    if (Frame* const place = to_next.claim()) {
      *place = frame;
      to_next.stage();
    } else {
      pool.free(frame);
    }
  }
  to_next.publish_staged();
  std::size_t released = 0;
  for (const Frame* next = nullptr; released < burst.size() && (next = to_this.front()) != nullptr; ++released) {
    if (!to.release(*next)) {
      pool.free(*next);
    }
    to_this.drop_front();
  }
  to.flush();
  return released;
}

/// The same on a core's two ports, until `duration` is over; frames per second.
double forward_across(std::span<const std::unique_ptr<NullPort>> ports, SpscRing<Frame>& to_next,
                      SpscRing<Frame>& to_this, MbufPool& pool, const TscClock& clock, Nanoseconds duration) {
  return frames_per_second(clock, duration, [&] {
    return forward_across(*ports[0], to_next, to_this, *ports[1], pool) +
           forward_across(*ports[1], to_next, to_this, *ports[0], pool);
  });
}

double CoresRig::forward(std::size_t cores, Nanoseconds duration, bool across) {
  std::vector<unsigned> processors;
  for (std::size_t core = 0; core < cores; ++core) {
    processors.push_back(cores_[core].processor);
  }
  std::vector<double> pps(cores);
  std::vector<std::unique_ptr<SpscRing<Frame>>> rings;  // by the core that writes
  for (std::size_t core = 0; core < cores; ++core) {
    rings.push_back(std::make_unique<SpscRing<Frame>>(across ? kRing : 0));
    for (auto& port : cores_[core].ports) {
      port->offer_without_end();
      port->send_to(0, 0, 0, nullptr);
    }
  }
  on_cores(processors, [&](std::size_t core) {
    const auto& ports = cores_[core].ports;
    pps[core] = across
                    ? forward_across(ports, *rings[core], *rings[(core + cores - 1) % cores], pool_, clock_, duration)
                    : forward_without_path(*ports[0], *ports[1], pool_, clock_, duration);
  });
  for (auto& ring : rings) {
    for (Frame left; ring->pop(left);) {
      pool_.free(left);
    }
  }
  double sum = 0;
  for (const double each : pps) {
    sum += each;
  }
  return sum;
}

using namespace std::chrono_literals;

constexpr std::size_t kCoresRounds = 5;

struct Several {
  std::vector<double> one, all, one_forwarder, all_forwarders, crossed, lost;  // forwarders cross as the frames do
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
    found.one_forwarder.push_back(rig.forward(1, each / 4, false));
    found.all_forwarders.push_back(rig.forward(options.cores, each / 4, options.crossing == 100));
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
          {"rounds",
           {{"pps", range(found.all)},
            {"one_core_pps", range(found.one)},
            {"forwarders_pps", range(found.all_forwarders)},
            {"one_forwarder_pps", range(found.one_forwarder)}}}};
}

void print_cores(const ThroughputOptions& options, const Several& found) {
  const auto bar = [](std::string name, const std::vector<double>& values) {
    return BenchBar{std::move(name), median(values), with_prefix(median(values)) + "pps"};
  };
  print_bars(fmt::format("{} cores, {} % of the frames to another ({:.0f} % were), {} bytes: {:.2f} times one core",
                         options.cores, options.crossing, 100 * median(found.crossed), options.size,
                         median(found.all) / median(found.one)),
             {bar("one core", found.one), bar(fmt::format("{} cores", options.cores), found.all)});
  print_bars(fmt::format("  handed on without a path{}: {:.2f} times one core",
                         options.crossing == 100 ? ", all to another core" : "",
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
  const BenchClock clock(processors.first());
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

void measure_core_limits(const CoreLimitsOptions& options,
                         const std::function<void(const std::string& size, const CoreLimits& limits)>& each) {
  constexpr double kPartialDropRate = 0.005;
  std::vector<Load> loads;
  for (const std::string& size : options.sizes) {
    loads.push_back(loads_of(size).front());
  }
  const BenchCore core;
  const LoadDevices devices(loads);
  const BenchMemory memory = bench_memory(mbuf_bytes(LoadRig::kPoolFrames, devices.largest), 0, "certify");
  const Eal eal(bench_eal(memory, devices.words));
  core.stay();
  const BenchClock clock(core.first());
  MbufPool pool("bench", LoadRig::kPoolFrames, devices.largest);
  unsigned next_device = 0;
  for (const Load& load : loads) {
    LoadRig rig(load, next_device, pool, clock);
    CoreLimits found;
    found.forwarder = rig.forward(options.trial);
    rig.run(options.trial);  // the path's memory is warm
    RateSearch search([&](double pps) { return rig.offer(pps, options.trial); },
                      {.most = found.forwarder, .precision = options.precision});
    found.ndr = search.highest(0).rate;
    found.pdr = search.highest(kPartialDropRate).rate;
    each(load.name, found);
  }
}

}  // namespace hilgate

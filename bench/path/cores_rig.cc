// SPDX-License-Identifier: Apache-2.0
#include "bench/path/cores_rig.h"

#include <fmt/format.h>
#include <rte_lcore.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <thread>
#include <utility>

#include "bench/path/bench_core.h"

namespace hilgate {
namespace {

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

}  // namespace

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

double CoresRig::forward(std::size_t cores, Nanoseconds duration) {
  std::vector<unsigned> processors;
  for (std::size_t core = 0; core < cores; ++core) {
    processors.push_back(cores_[core].processor);
  }
  std::vector<double> pps(cores);
  on_cores(processors, [&](std::size_t core) {
    NullPort& left = *cores_[core].ports[0];
    NullPort& right = *cores_[core].ports[1];
    left.offer_without_end();
    right.offer_without_end();
    pps[core] = forward_without_path(left, right, pool_, clock_, duration);
  });
  double sum = 0;
  for (const double each : pps) {
    sum += each;
  }
  return sum;
}

}  // namespace hilgate

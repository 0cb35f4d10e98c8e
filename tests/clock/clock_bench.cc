// SPDX-License-Identifier: Apache-2.0
// What the packet loop pays for time.
#include <benchmark/benchmark.h>

#include "clock/reference/local_sources.h"
#include "clock/servo/sim_clock.h"
#include "clock/servo/window_clock.h"
#include "clock/tsc_clock.h"

namespace hilgate::test {
namespace {

void read_the_tsc(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_tsc());
  }
}
BENCHMARK(read_the_tsc);

// The conversions alone: stamps are at hand.
void tsc_to_wall(benchmark::State& state) {
  const TscClock clock;
  const TscMapping mapping = clock.mapping();
  const WindowClock windows{{}, read_system_tai()};
  const WindowReader reader{windows, clock.now()};
  std::uint64_t tsc = read_tsc();
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader.wall(mapping.host(tsc)));
    tsc += 17;
  }
}
BENCHMARK(tsc_to_wall);

void tsc_to_sim(benchmark::State& state) {
  const TscClock clock;
  const TscMapping mapping = clock.mapping();
  SimClock sim{WallLine{}, clock.now(), SimTime{}, 0.5};
  const SimLine line = sim.lines().current;
  std::uint64_t tsc = read_tsc();
  for (auto _ : state) {
    benchmark::DoNotOptimize(line.at(mapping.host(tsc)));
    tsc += 17;
  }
}
BENCHMARK(tsc_to_sim);

// A turn of the loop that passes no boundary.
void refresh_windows(benchmark::State& state) {
  const TscClock clock;
  const WindowClock windows{{.width = std::chrono::hours{1}}, read_system_tai()};
  const HostTime now = clock.now();
  WindowReader reader{windows, now};
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader.refresh(now));
  }
}
BENCHMARK(refresh_windows);

}  // namespace
}  // namespace hilgate::test

BENCHMARK_MAIN();

// SPDX-License-Identifier: Apache-2.0
// How late frames leave: the instant at which they are given to the device's transmit burst, less the one they were due
// at; and how late a loop is that does nothing but read the clock until the same instants, in turns with it. Both are
// stamped alike, by a reading of the clock of its own after the one that has ended the waiting.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bench/path/bench_core.h"
#include "bench/path/bench_memory.h"
#include "bench/path/path_bench.h"
#include "bench/path/ring_port.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kRoom = 64;
constexpr std::uint64_t kRounds = 20;

// Frames in the hold, and as many again in rings and caches.
std::uint32_t pool_frames(const ReleaseOptions& options) {
  const double held = static_cast<double>(options.rate) * std::chrono::duration<double>(options.delay).count();
  return static_cast<std::uint32_t>(1.5 * held) + 16'384;
}

void check(const ReleaseOptions& options) {
  if (options.frames < 1) {
    throw std::runtime_error("--frames 0: the minimum is 1");
  }
  if (options.rate < 1 || options.rate > 10'000'000) {
    throw std::runtime_error(fmt::format("--rate {}: allowed are 1 to 10000000 frames per second", options.rate));
  }
  if (options.delay < 10us || options.delay > 1s) {
    throw std::runtime_error(fmt::format("--delay {} ns: allowed are 10us to 1s", options.delay.count()));
  }
}

void release_frames(BenchPath<RingPort>& path, RingPort& source, std::uint64_t frames, Nanoseconds interval) {
  const std::uint64_t wanted = path.totals().released + frames;
  source.send(frames, interval);
  while (path.totals().released < wanted) {
    path.iterate();
    if (path.totals().dropped_total() > 0) {
      throw std::runtime_error("bench release: the path has dropped a frame");
    }
  }
}

void spin(TscReader& clock, Lateness& lateness, std::uint64_t targets, Nanoseconds interval, Nanoseconds delay) {
  HostTime target = clock.now() + delay;
  for (; targets > 0; --targets) {
    while (clock.now() < target) {
    }
    const HostTime now = clock.now();
    lateness.add(now - target);
    // As with frames that are held already, an interruption makes all targets late that lie in it.
    target += interval;
    if (now - target > delay) {
      target = now;
    }
  }
}

double ns(Nanoseconds span) {
  return static_cast<double>(span.count());
}

BenchBar bar(const char* name, const Lateness& lateness, double quantile) {
  const double value = ns(quantile < 1 ? lateness.late.quantile(quantile) : lateness.late.max());
  return {name, value, fmt::format("{:.0f} ns", value)};
}

void print(const ReleaseOptions& options, const BenchMemory& memory, const BenchCore& core, const Lateness& ours,
           const Lateness& spin) {
  fmt::print("net_ring, {} frames, {} per second, {}, processor {}; {} early\n", ours.late.count(), options.rate,
             memory.name(), core.measured(), ours.early);
  print_bars("release lateness", {bar("p50", ours, 0.5), bar("p50 of an empty loop", spin, 0.5)});
  print_bars("", {bar("p99", ours, 0.99), bar("p99 of an empty loop", spin, 0.99)});
  print_bars("", {bar("p99.9", ours, 0.999), bar("p99.9 of an empty loop", spin, 0.999)});
  print_bars("", {bar("max", ours, 1), bar("max of an empty loop", spin, 1)});
}

void print_object(const ReleaseOptions& options, const BenchMemory& memory, const BenchCore& core, const Lateness& ours,
                  const Lateness& spin) {
  print_json({{"p50_ns", ns(ours.late.quantile(0.5))},
              {"p90_ns", ns(ours.late.quantile(0.9))},
              {"p99_ns", ns(ours.late.quantile(0.99))},
              {"p999_ns", ns(ours.late.quantile(0.999))},
              {"max_ns", ns(ours.late.max())},
              {"early", ours.early},
              {"spin_p50_ns", ns(spin.late.quantile(0.5))},
              {"spin_p99_ns", ns(spin.late.quantile(0.99))},
              {"spin_p999_ns", ns(spin.late.quantile(0.999))},
              {"spin_max_ns", ns(spin.late.max())},
              {"frames", ours.late.count()},
              {"rate", options.rate},
              {"delay_ns", ns(options.delay)},
              {"memory", memory.name()},
              {"cpu", core.measured()}});
}

struct Released {
  BenchMemory memory;
  Lateness ours, spinning;
};

Released release_all(const ReleaseOptions& options, const BenchCore& core) {
  check(options);
  Released released;
  released.memory = bench_memory(mbuf_bytes(pool_frames(options), kRoom), 0, "bench release");
  const Eal eal(bench_eal(released.memory, {RingPort::device(0), RingPort::device(1)}));
  core.stay();
  const TscClock clock;
  MbufPool pool("bench", pool_frames(options), kRoom);
  RingPort source(0, pool, options.delay, clock);
  RingPort sink(1, pool, options.delay, clock);
  {
    BenchPath<RingPort> path(bench_settings(pool_frames(options)), {&source, &sink}, pool, clock);
    path.set_air(options.delay, 0);
    TscReader reader(clock);
    const Nanoseconds interval{1'000'000'000 / static_cast<std::int64_t>(options.rate)};
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t frames = options.frames * (round + 1) / kRounds - options.frames * round / kRounds;
      release_frames(path, source, frames, interval);
      spin(reader, released.spinning, frames, interval, options.delay);
    }
  }
  released.ours = sink.lateness();
  return released;
}

}  // namespace

ReleaseFigures measure_release(const ReleaseOptions& options) {
  const Released released = release_all(options, BenchCore());
  return {released.ours.late.quantile(0.5), released.ours.late.quantile(0.99), released.spinning.late.quantile(0.5),
          released.spinning.late.quantile(0.99), released.ours.early};
}

int bench_release_command(const ReleaseOptions& options) {
  const BenchCore core;
  const Released released = release_all(options, core);
  options.json ? print_object(options, released.memory, core, released.ours, released.spinning)
               : print(options, released.memory, core, released.ours, released.spinning);
  return 0;
}

}  // namespace hilgate

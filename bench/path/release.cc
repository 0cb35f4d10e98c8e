// SPDX-License-Identifier: Apache-2.0
// How late frames leave: the instant at which they are given to the device's transmit burst, less the one they were due
// at; and how late a loop is that does nothing but read the clock until the same instants, in turns with it. Both are
// stamped alike, by a reading of the clock of its own after the one that has ended the waiting.

#include <fmt/format.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "bench/path/bench_memory.h"
#include "bench/path/bench_path.h"
#include "bench/path/path_bench.h"
#include "clock/tsc_clock.h"
#include "dpdk/dpdk_port.h"
#include "gateway/run/windows/span_histogram.h"

namespace hilgate {
namespace {

// DPDK's net_ring as a port whose frames are made here, one by one and evenly, and whose releases are timed.

/// How much later than they were due things happened.
struct Lateness {
  SpanHistogram late;
  std::uint64_t early = 0;

  void add(Nanoseconds error) {
    early += error < Nanoseconds{0};
    late.record(error);
  }
};

/// The port of a robot, `from`, that sends, or of one that receives and never sends. All of it is done by the thread
/// that turns the path. Satisfies FramePort.
class RingPort {
 public:
  /// What DPDK must have been started with.
  static std::string device(unsigned from) { return "net_ring" + std::to_string(from); }

  /// `delay`: after it frames are due that this port captured.
  RingPort(unsigned from, MbufPool& pool, Nanoseconds delay, const TscClock& clock);
  RingPort(const RingPort&) = delete;
  RingPort& operator=(const RingPort&) = delete;

  /// From now on a frame every `interval`, `frames` of them.
  void send(std::uint64_t frames, Nanoseconds interval) {
    to_send_ = frames;
    interval_ = interval;
    next_ = clock_.now();
  }
  [[nodiscard]] const Lateness& lateness() const { return lateness_; }

  std::size_t capture(std::span<Frame> burst);
  bool release(const Frame& frame);
  void flush();

  std::uint64_t receive_cycles = 0;  // not counted here
  std::uint64_t transmit_cycles = 0;

 private:
  static constexpr std::size_t kBurst = 64;

  void inject();

  MbufPool& pool_;
  Nanoseconds delay_;
  TscReader clock_;
  std::array<std::byte, kEthernetHeader> header_;
  rte_ring* ring_;
  DpdkPort port_;
  std::uint64_t to_send_ = 0;
  Nanoseconds interval_{};
  HostTime next_{};
  std::array<HostTime, kBurst> due_{};  // of frames released and not yet given to the device
  std::size_t waiting_ = 0;
  Lateness lateness_;
};

constexpr std::uint16_t kFrameBytes = 64;

// The driver makes one ring, and what is sent on it is received on it.
rte_ring* ring_of(const std::string& device) {
  rte_ring* ring = rte_ring_lookup(("ETH_RXTX0_" + device).c_str());
  if (ring == nullptr) {
    throw std::runtime_error(fmt::format("dpdk: device {}: the ring of its driver was not found", device));
  }
  return ring;
}

RingPort::RingPort(unsigned from, MbufPool& pool, Nanoseconds delay, const TscClock& clock)
    : pool_(pool),
      delay_(delay),
      clock_(clock),
      header_(bench_header(from)),
      ring_(ring_of(device(from))),
      port_({.name = device(from), .device = device(from), .frame_limit = 2 * kFrameBytes}, pool, clock) {}

std::size_t RingPort::capture(std::span<Frame> burst) {
  if (to_send_ > 0 && clock_.now() >= next_) {
    inject();
  }
  const std::size_t count = port_.capture(burst);
  for (const Frame& frame : burst.first(count)) {
    const HostTime due = frame.arrived + delay_;
    std::memcpy(frame.data + kEthernetHeader, &due, sizeof due);
  }
  return count;
}

// Puts one frame where the device takes it from. When the path was not run for long, time is not made up.
void RingPort::inject() {
  rte_mbuf* mbuf = rte_pktmbuf_alloc(pool_.handle());
  if (mbuf == nullptr) {
    return;  // again at the next turn
  }
  std::memcpy(rte_pktmbuf_append(mbuf, kFrameBytes), header_.data(), header_.size());
  if (rte_ring_enqueue(ring_, mbuf) != 0) {
    rte_pktmbuf_free(mbuf);
    return;
  }
  --to_send_;
  next_ = std::max(next_ + interval_, clock_.now());
}

bool RingPort::release(const Frame& frame) {
  if (waiting_ == kBurst) {
    flush();
  }
  std::memcpy(&due_[waiting_++], frame.data + kEthernetHeader, sizeof(HostTime));
  return port_.release(frame);
}

void RingPort::flush() {
  if (waiting_ == 0) {
    return;
  }
  const HostTime now = clock_.now();
  for (const HostTime due : std::span(due_).first(waiting_)) {
    lateness_.add(now - due);
  }
  waiting_ = 0;
  port_.flush();
  std::array<void*, kBurst> sent{};
  while (const unsigned count = rte_ring_dequeue_burst(ring_, sent.data(), sent.size(), nullptr)) {
    for (void* mbuf : std::span(sent).first(count)) {
      rte_pktmbuf_free(static_cast<rte_mbuf*>(mbuf));
    }
  }
}

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
  const BenchClock clock(core.first());
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

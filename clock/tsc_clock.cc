// SPDX-License-Identifier: Apache-2.0
#include "clock/tsc_clock.h"

#include <cpuid.h>
#include <ctime>
#include <limits>
#include <stdexcept>
#include <thread>

namespace hilgate {
namespace {

struct Pair {
  std::uint64_t tsc;
  std::int64_t host_ns;
};

bool tsc_is_invariant() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  // CPUID 80000007H, EDX bit 8: the TSC runs at a constant rate in all P-, C- and T-states.
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}

// The reading whose two TSC stamps are closest is the one least disturbed by interrupts.
Pair read_pair() {
  Pair best{};
  std::uint64_t best_width = std::numeric_limits<std::uint64_t>::max();
  for (int attempt = 0; attempt < 64; ++attempt) {
    const std::uint64_t before = read_tsc();
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::uint64_t after = read_tsc();
    if (after - before < best_width) {
      best_width = after - before;
      best = {before + best_width / 2, now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec};
    }
  }
  return best;
}

std::uint64_t to_multiplier(double ns_per_tick) {
  return static_cast<std::uint64_t>(ns_per_tick * 0x1p32);
}

}  // namespace

TscClock::TscClock() {
  if (!tsc_is_invariant()) {
    throw std::runtime_error(
        "clock: the time-stamp counter of this processor is not invariant (CPUID 80000007H EDX bit 8 is clear); "
        "hilgate times "
        "releases with it and needs a processor, or a virtual machine, with an invariant one");
  }
  const Pair first = read_pair();
  std::this_thread::sleep_for(std::chrono::milliseconds{50});
  const Pair second = read_pair();
  ns_per_tick_ = static_cast<double>(second.host_ns - first.host_ns) / static_cast<double>(second.tsc - first.tsc);
  measured_tsc_ = second.tsc;
  measured_host_ns_ = second.host_ns;
  mapping_.store({second.tsc, second.host_ns, to_multiplier(ns_per_tick_)});
}

void TscClock::discipline() {
  if (stands_) {
    return;
  }
  const Pair now = read_pair();
  const std::uint64_t ticks = now.tsc - measured_tsc_;
  if (ticks == 0) {
    return;
  }
  // The longer the baseline, the better the rate: keep the first measurement until it is 10 s old, then move on.
  ns_per_tick_ = static_cast<double>(now.host_ns - measured_host_ns_) / static_cast<double>(ticks);
  if (now.host_ns - measured_host_ns_ > 10'000'000'000) {
    measured_tsc_ = now.tsc;
    measured_host_ns_ = now.host_ns;
  }
  const HostTime mapped = mapping_.load().host(now.tsc);
  const Nanoseconds error = mapped - HostTime{Nanoseconds{now.host_ns}};
  last_error_ = error;
  // Continue from where mapped time is; run slower or faster by the error over one second, at most 1000 ppm.
  double correction = static_cast<double>(error.count()) * 1e-9;
  correction = correction > 1e-3 ? 1e-3 : (correction < -1e-3 ? -1e-3 : correction);
  mapping_.store({now.tsc, mapped.time_since_epoch().count(), to_multiplier(ns_per_tick_ * (1.0 - correction))});
}

}  // namespace hilgate

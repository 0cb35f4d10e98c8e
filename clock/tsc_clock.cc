// SPDX-License-Identifier: Apache-2.0
#include "clock/tsc_clock.h"

#include <cpuid.h>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>

namespace hilgate {
namespace {

bool tsc_is_invariant() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  // CPUID 80000007H, EDX bit 8: the TSC runs at a constant rate in all P-, C- and T-states.
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}

// The reading whose two TSC stamps are closest is the one least disturbed by interrupts.
TscReading read_both() {
  TscReading best{};
  std::uint64_t best_width = std::numeric_limits<std::uint64_t>::max();
  for (int attempt = 0; attempt < 64; ++attempt) {
    const std::uint64_t before = read_tsc();
    const HostTime now = host_now();
    const std::uint64_t after = read_tsc();
    if (after - before < best_width) {
      best_width = after - before;
      best = {before + best_width / 2, now};
    }
  }
  return best;
}

// Both, near enough to tell a step: not scheduled away in between.
TscReading read_closely() {
  constexpr std::uint64_t kNear = 100'000;  // some tens of microseconds
  TscReading reading{};
  for (int attempt = 0; attempt < 8; ++attempt) {
    reading = {read_tsc(), host_now()};
    if (read_tsc() - reading.tsc < kNear) {
      break;
    }
  }
  return reading;
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
  const TscReading first = read_both();
  std::this_thread::sleep_for(std::chrono::milliseconds{50});
  const TscReading second = read_both();
  ns_per_tick_ = static_cast<double>((second.host - first.host).count()) / static_cast<double>(second.tsc - first.tsc);
  measured_ = second;
  mapping_.store({second.tsc, second.host.time_since_epoch().count(), to_multiplier(ns_per_tick_)});
}

void TscClock::discipline() {
  if (!stands_) {
    steer(read_both());
  }
}

void TscClock::steer(const TscReading& now) {
  const HostTime mapped = mapping_.load().host(now.tsc);
  const Nanoseconds error = mapped - now.host;
  if (std::chrono::abs(error) > kStep) {
    ++steps_;
    last_step_ = error;
    last_error_ = Nanoseconds{0};
    measured_ = now;
    mapping_.store({now.tsc, now.host.time_since_epoch().count(), to_multiplier(ns_per_tick_)});
    return;
  }
  const std::uint64_t ticks = now.tsc - measured_.tsc;
  if (ticks == 0) {
    return;
  }
  // The longer the baseline, the better the rate: keep the first measurement until it is 10 s old, then move on.
  ns_per_tick_ = static_cast<double>((now.host - measured_.host).count()) / static_cast<double>(ticks);
  if (now.host - measured_.host > std::chrono::seconds{10}) {
    measured_ = now;
  }
  last_error_ = error;
  // Continue from where mapped time is; run slower or faster by the error over one second, at most 1000 ppm.
  double correction = static_cast<double>(error.count()) * 1e-9;
  correction = correction > 1e-3 ? 1e-3 : (correction < -1e-3 ? -1e-3 : correction);
  mapping_.store({now.tsc, mapped.time_since_epoch().count(), to_multiplier(ns_per_tick_ * (1.0 - correction))});
}

// Where a mapping is old, there may have been a step that the control thread has not seen yet.
HostTime TscClock::now() const {
  constexpr Nanoseconds kOld = std::chrono::seconds{1};
  const TscMapping mapping = this->mapping();
  const HostTime mapped = mapping.host(read_tsc());
  const Nanoseconds age = mapped - HostTime{Nanoseconds{mapping.host0_ns}};
  return std::chrono::abs(age) > kOld ? host_now() : mapped;
}

// Until the control thread has seen the step too, mapped time continues from CLOCK_MONOTONIC.
HostTime TscReader::compared(HostTime mapped, std::uint64_t tsc) {
  const TscReading now = read_closely();
  if (std::chrono::abs(mapping_.host(now.tsc) - now.host) <= TscClock::kStep) {
    return mapped;
  }
  mapping_.tsc0 = now.tsc;
  mapping_.host0_ns = now.host.time_since_epoch().count();
  return mapping_.host(tsc);
}

}  // namespace hilgate

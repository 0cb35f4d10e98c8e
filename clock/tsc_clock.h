// SPDX-License-Identifier: Apache-2.0
// Host time for the packet loop: CLOCK_MONOTONIC read through the TSC, without a system call.
#pragma once

#include <cstdint>

#include "clock/clock_line.h"
#include "clock/host_now.h"
#include "clock/seqlock.h"
#include "clock/time.h"

namespace hilgate {

/// Raw time-stamp counter of this CPU. Requires an invariant TSC, as TscClock::start() checks.
inline std::uint64_t read_tsc() {
  return __builtin_ia32_rdtsc();
}

/// host = host0 + ((tsc - tsc0) * multiplier) >> 32, multiplier in ns * 2^32 per tick.
struct TscMapping {
  std::uint64_t tsc0 = 0;
  std::int64_t host0_ns = 0;
  std::uint64_t multiplier = 0;

  [[nodiscard]] HostTime host(std::uint64_t tsc) const {
    const auto ticks = static_cast<Int128>(static_cast<std::int64_t>(tsc - tsc0));
    return HostTime{Nanoseconds{host0_ns + static_cast<std::int64_t>((ticks * static_cast<Int128>(multiplier)) >> 32)}};
  }
};

/// Both clocks at one instant.
struct TscReading {
  std::uint64_t tsc = 0;
  HostTime host{};
};

/// Keeps the mapping between TSC and CLOCK_MONOTONIC. NTP slews CLOCK_MONOTONIC by at most 500 ppm, so the mapping is
/// measured anew now and then; it is steered so that mapped time stays continuous and never runs backwards.
///
/// Where a host is suspended, or a guest moved to another host, CLOCK_MONOTONIC stands while the TSC continues, or
/// begins anew. That is a step: mapped time is CLOCK_MONOTONIC again at once, so that what waits for an instant waits
/// as long as it would have without.
class TscClock {
 public:
  /// Mapped time that is farther than this from CLOCK_MONOTONIC is a step and no error of the rate: ten times what the
  /// latter can be after the process was stopped for a minute.
  static constexpr Nanoseconds kStep{5'000'000};
  /// Between readings that are closer than this nothing can have happened that a reader would have to look for.
  static constexpr Nanoseconds kClose{10'000'000};

  /// Measures the rate for about 50 ms. Throws std::runtime_error when the CPU's TSC is not invariant.
  TscClock();
  /// Held at `instant` until set(), whatever the TSC counts; for worlds that simulate time.
  explicit TscClock(HostTime instant) : stands_(true) { set(instant); }
  void set(HostTime instant) { mapping_.store({0, instant.time_since_epoch().count(), 0}); }

  /// Measures again and steers the mapping so that the error is gone in about one second. Control thread only, at
  /// most every 10 ms; every 100 ms is right.
  void discipline();
  /// Likewise, with what both clocks show.
  void steer(const TscReading& now);

  /// Any thread. A few ns; a reader on the packet path keeps a TscReader instead.
  [[nodiscard]] TscMapping mapping() const { return mapping_.load(); }
  [[nodiscard]] HostTime now() const;

  /// How far mapped time was from CLOCK_MONOTONIC at the last discipline().
  [[nodiscard]] Nanoseconds last_error() const { return last_error_; }
  /// How often there was a step, and by how much the TSC went on farther than CLOCK_MONOTONIC at the last one; negative
  /// where it began anew. Control thread.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] Nanoseconds last_step() const { return last_step_; }

  friend class TscReader;

 private:
  Seqlock<TscMapping> mapping_;
  bool stands_ = false;
  TscReading measured_{};  // what the rate is measured from
  double ns_per_tick_ = 0;
  Nanoseconds last_error_{0};
  std::uint64_t steps_ = 0;
  Nanoseconds last_step_{0};
};

/// One thread's view of a TscClock: takes up a new mapping when there is one and never goes backwards. After a pause it
/// compares with CLOCK_MONOTONIC, so that it has seen a step before anything is released by it.
class TscReader {
 public:
  explicit TscReader(const TscClock& clock) : clock_(&clock), mapping_(clock.mapping()) {}

  /// How long the packet loop may wait for an instant, HostClock of path/frame_path.h.
  [[nodiscard]] static constexpr Nanoseconds patience() { return Nanoseconds{300}; }

  [[nodiscard]] HostTime now() { return at(read_tsc()); }
  /// When the counter was read as `tsc`, not before the last reading.
  [[nodiscard]] HostTime at(std::uint64_t tsc) {
    const std::uint64_t version = clock_->mapping_.version();
    if (version != version_) {
      mapping_ = clock_->mapping();
      version_ = version;
    }
    HostTime mapped = mapping_.host(tsc);
    if (mapped - last_ > TscClock::kClose || last_ - mapped > TscClock::kClose) {
      mapped = compared(mapped, tsc);
    }
    last_ = mapped > last_ ? mapped : last_;
    return last_;
  }

 private:
  HostTime compared(HostTime mapped, std::uint64_t tsc);

  const TscClock* clock_;
  TscMapping mapping_;
  std::uint64_t version_ = 0;
  HostTime last_{};
};

}  // namespace hilgate

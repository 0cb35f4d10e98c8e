// SPDX-License-Identifier: Apache-2.0
// hilgate bench throughput, hold, release: the packet path on DPDK's virtual devices, on one core, against yardsticks
// measured in the same run.
#pragma once

#include <sched.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "clock/time.h"
#include "clock/tsc_clock.h"

namespace hilgate {

/// The processors this process may use when it is made: the first, and the last for what is measured.
class BenchCore {
 public:
  BenchCore() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &allowed)) {
        all_.push_back(cpu);
      }
    }
  }
  [[nodiscard]] unsigned first() const { return all_.empty() ? 0 : all_.front(); }
  [[nodiscard]] unsigned measured() const { return all_.empty() ? 0 : all_.back(); }
  [[nodiscard]] const std::vector<unsigned>& all() const { return all_; }

  /// The calling thread stays on measured(); on a machine with one processor it was there before.
  void stay() const { stay_on(measured()); }
  static void stay_on(unsigned cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }

 private:
  std::vector<unsigned> all_;
};

/// The clock of a bench, which a thread on processor `cpu` disciplines, as the control thread does in a gateway:
/// reading an older mapping takes a look at CLOCK_MONOTONIC, which waits for all memory that is on its way.
class BenchClock {
 public:
  explicit BenchClock(unsigned cpu)
      : thread_([this, cpu](const std::stop_token& stop) {
          BenchCore::stay_on(cpu);
          while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
            clock_.discipline();
          }
        }) {}
  operator const TscClock&() const { return clock_; }  // NOLINT(google-explicit-constructor): it is one

 private:
  TscClock clock_;
  std::jthread thread_;
};

struct ThroughputOptions {
  Nanoseconds duration = std::chrono::seconds{6};    // of measuring our path, per frame size
  std::string size = "64";                           // bytes, [64, 1518]; "imix"; "all"
  Nanoseconds delay = std::chrono::milliseconds{1};  // of the links, [0, 2ms]
  unsigned cores = 1;                                // [1, 16]; with more than one: these against one
  unsigned crossing = 0;                             // percent of frames to a robot of another core
  bool search = false;                               // for the highest load without loss as well
  bool json = false;
};

struct HoldBenchOptions {
  Nanoseconds duration = std::chrono::seconds{6};  // of measuring, both loads together
  std::uint64_t frames = 1'000'000;                // held, [1000, 3 000 000 000]
  bool json = false;
};

struct ReleaseOptions {
  std::uint64_t frames = 1'000'000;                  // at least 1
  std::uint64_t rate = 100'000;                      // frames per second, [1, 10 000 000]
  Nanoseconds delay = std::chrono::milliseconds{1};  // [10us, 1s]
  bool json = false;
};

/// What one core takes of one frame size, frames per second.
struct CoreLimits {
  double ndr = 0;        // the most of which nothing is lost
  double pdr = 0;        // of which at most 0.5 % is lost
  double forwarder = 0;  // handed from device to device without a path
};

struct CoreLimitsOptions {
  std::vector<std::string> sizes;  // as ThroughputOptions::size
  Nanoseconds trial{};
  double precision = 0.02;
};

/// Calls `each` with a size and what was found for it. Once per process, as DPDK starts once. Throws likewise.
void measure_core_limits(const CoreLimitsOptions& options,
                         const std::function<void(const std::string& size, const CoreLimits& limits)>& each);

/// Lateness of releases, and of an empty loop that reads the clock.
struct ReleaseFigures {
  Nanoseconds p50{}, p99{}, spin_p50{}, spin_p99{};
  std::uint64_t early = 0;
};

/// Once per process. Throws likewise.
ReleaseFigures measure_release(const ReleaseOptions& options);

/// Each prints figures, or one JSON object, and returns the exit status. They throw std::runtime_error when hilgate was
/// built without DPDK, and with a value and what would be right when memory is short.
int bench_throughput_command(const ThroughputOptions& options);
int bench_hold_command(const HoldBenchOptions& options);
int bench_release_command(const ReleaseOptions& options);

/// bench_throughput_command() for more than one core.
int bench_cores(const ThroughputOptions& options);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// hilgate bench throughput, hold, release: the packet path on DPDK's virtual devices, on one core, against yardsticks
// measured in the same run.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "clock/time.h"

namespace hilgate {

struct ThroughputOptions {
  Nanoseconds duration = std::chrono::seconds{6};  // of measuring our path, per frame size
  std::string size = "64";                         // bytes, [64, 1518]; "imix"; "all"
  bool search = false;                             // for the highest load without loss as well
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

/// Each prints figures, or one JSON object, and returns the exit status. They throw std::runtime_error when hilgate was
/// built without DPDK, and with a value and what would be right when memory is short.
int bench_throughput_command(const ThroughputOptions& options);
int bench_hold_command(const HoldBenchOptions& options);
int bench_release_command(const ReleaseOptions& options);

}  // namespace hilgate

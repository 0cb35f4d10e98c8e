// SPDX-License-Identifier: Apache-2.0
// hilgate bench windows: how fast windows go with simulators that do nothing, over real sockets and in processes of
// their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "clock/reference/reference_options.h"
#include "clock/time.h"
#include "gateway/commands/simulators/sim.h"
#include "gateway/run/windows/window_options.h"

namespace hilgate {

struct BenchWindowsOptions {
  SimulatorProtocol protocol = SimulatorProtocol::kNative;
  std::uint32_t robots = 2;
  std::uint32_t packets = 0;    // that each robot sends in every window
  Pace pace = Pace::kLockstep;  // of the window-rate phase
  Nanoseconds window{1'000'000};
  Nanoseconds duration{2'000'000'000};  // of each of the three phases
  /// The processor that gateway and simulators share; empty: wherever the kernel puts them. On virtual machines
  /// waking another, idle processor takes longer than a whole round trip on the same.
  std::optional<unsigned> cpu{};
  ReferenceOptions reference{};  // of the clock by which the windows of pace wall are placed
  bool json = false;
};

struct BenchWindowsResult {
  double windows_per_s = 0;       // in `pace`, both simulators on the wire
  Nanoseconds round_trip_p50{0};  // BEGIN to END of the network simulator alone, lockstep
  Nanoseconds round_trip_p99{0};
  Nanoseconds boundary_p99{0};  // pace wall: how late windows began, by the disciplined clock
  Nanoseconds clock_p99{0};     // how far that was from its reference
  std::uint64_t windows = 0;    // of the first phase
  std::uint64_t late = 0;       // ENDs after their deadline, pace wall
};

/// Throws std::runtime_error when a simulator does not come up or the run fails.
BenchWindowsResult bench_windows(const BenchWindowsOptions& options);

/// Runs it and prints a table or, with `json`, one object with the keys windows_per_s, round_trip_p50_us,
/// round_trip_p99_us, boundary_p99_us, clock_p99_us and what was measured. The return value is the exit status.
int bench_windows_command(const BenchWindowsOptions& options);

}  // namespace hilgate

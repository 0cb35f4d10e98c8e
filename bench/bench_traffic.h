// SPDX-License-Identifier: Apache-2.0
// What robots of a bench send and hear: whole frames, by packet sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/bench_network.h"
#include "clock/time.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// 64 bytes on a wire, FCS included.
inline constexpr std::size_t kSmallestFrame = 60;
/// 1500 bytes after the MAC header.
inline constexpr std::size_t kLongestFrame = 1514;

/// Frames from robot 0 to robot 1, as quickly as the kernel takes them.
struct Flood {
  double sent_per_second = 0;
  double arrived_per_second = 0;
};

/// Sends for `duration` on the calling thread. Throws std::runtime_error.
Flood flood(const BenchNetwork& network, std::size_t frame_bytes, Nanoseconds duration);

/// One frame at a time from robot 0 to robot 1 and back, for `duration`. Round trips in the order in which they were
/// made; one that takes longer than 100 ms counts as lost and is not among them. Throws std::runtime_error.
std::vector<Nanoseconds> ping(const BenchNetwork& network, Nanoseconds duration);

/// The q-quantile, q in [0, 1]. Throws std::runtime_error when there is no value.
Nanoseconds quantile(std::vector<Nanoseconds> values, double q);

}  // namespace hilgate

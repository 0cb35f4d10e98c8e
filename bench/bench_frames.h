// SPDX-License-Identifier: Apache-2.0
// Frames of a bench's robots, and the sockets that they are sent and heard by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/bench_ends.h"
#include "host/file_descriptor.h"

namespace hilgate {

inline constexpr std::uint16_t kBenchEthertype = 0x88B5;  // local experimental: nobody else's
using BenchFrame = std::array<std::byte, 1514>;

/// Throws std::runtime_error with `what` and errno unless `good`.
void check_traffic(bool good, const char* what);

/// From robot `from` to the other one, zeros behind its header.
BenchFrame bench_frame(unsigned from);

/// A packet socket at a robot's end, for frames of the EtherType `hears`, 0: none.
FileDescriptor open_bench_socket(const BenchEnds& ends, std::size_t robot, std::uint16_t hears);

/// Frames that came in at a robot, by the kernel's count.
std::uint64_t frames_arrived(const BenchEnds& ends, std::size_t robot);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// A stream of frames from robot 0 to robot 1 at a rate, with the delays of some of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "bench/bench_frames.h"
#include "bench/bench_network.h"
#include "clock/time.h"
#include "host/file_descriptor.h"

namespace hilgate {

struct StreamPlan {
  std::vector<std::size_t> sizes;  // bytes without FCS, in turn
  double per_second = 0;           // frames; 0: as quickly as the kernel takes them
  Nanoseconds duration{};
  std::uint32_t stamp_every = 0;              // every so manieth frame is received and timed; 0: none
  Nanoseconds delay{};                        // that frames are given on their way on purpose
  std::vector<std::byte> head{};              // what frames begin with; empty: bench_frame(0)'s MAC header
  std::uint16_t ethertype = kBenchEthertype;  // of these frames
};

/// A frame that arrived. Both instants are CLOCK_REALTIME, in which the kernel stamps what sockets hear.
struct HeardFrame {
  Nanoseconds sent;
  Nanoseconds heard;
};

struct Stream {
  std::uint64_t sent = 0;     // that the kernel took
  std::uint64_t arrived = 0;  // by the kernel's count at robot 1
  std::uint64_t in_time = 0;  // of them; the others were still on their way when they should have been through
  double seconds = 0;         // of sending
  std::vector<HeardFrame> heard;

  /// Frames per second that were really sent.
  [[nodiscard]] double offered() const { return static_cast<double>(sent) / seconds; }
  [[nodiscard]] std::uint64_t lost() const { return sent > arrived ? sent - arrived : 0; }
  [[nodiscard]] double loss() const { return share_without(arrived); }
  /// Share of the frames that a path cannot keep up with: while queued they are not lost yet, but are in a longer run.
  [[nodiscard]] double loss_in_time() const { return share_without(in_time); }
  [[nodiscard]] std::vector<Nanoseconds> delays() const;
  /// Between two frames received one after the other.
  [[nodiscard]] Nanoseconds longest_gap() const;

 private:
  [[nodiscard]] double share_without(std::uint64_t frames) const {
    return sent > frames ? static_cast<double>(sent - frames) / static_cast<double>(sent) : 0;
  }
};

/// Sends on the calling thread for the plan's duration, or until `stop`, and waits for what is on its way. Frames are
/// spread evenly; a delay of more than a burst is not made up for, so that less is offered. From 10 000 frames per
/// second on it polls, below it sleeps between frames. `progress`, when given, counts frames received meanwhile. Throws
/// std::runtime_error, also when the clock is stepped meanwhile.
Stream run_stream(const BenchEnds& ends, const StreamPlan& plan, const std::stop_token& stop = {},
                  std::atomic<std::uint64_t>* progress = nullptr);

/// CLOCK_REALTIME now, as in HeardFrame.
Nanoseconds stream_clock();

// What robots of a bench send and hear: whole frames, by packet sockets.

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

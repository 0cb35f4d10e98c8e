// SPDX-License-Identifier: Apache-2.0
// DPDK's net_ring as a port whose frames are made here, one by one and evenly, and whose releases are timed.
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <array>
#include <cstring>
#include <span>
#include <string>

#include "bench/path/bench_path.h"
#include "clock/tsc_clock.h"
#include "dpdk/dpdk_port.h"
#include "gateway/run/windows/span_histogram.h"

namespace hilgate {

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

}  // namespace hilgate

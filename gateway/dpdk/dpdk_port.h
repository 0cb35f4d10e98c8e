// SPDX-License-Identifier: Apache-2.0
// An Ethernet device of DPDK as a port of the gateway: physical or virtual, polled, without the kernel.
#pragma once

#include <rte_ethdev.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "clock/tsc_clock.h"
#include "gateway/counter.h"
#include "gateway/dpdk/mbuf_pool.h"
#include "gateway/frame.h"

namespace hilgate {

struct DpdkPortOptions {
  std::string name;    // the port's, for messages
  std::string device;  // as DPDK names it: "net_null0", "0000:01:00.0"
  std::uint16_t rx_queues = 1;
  std::uint16_t descriptors = 1024;  // per ring; devices may round
  std::uint32_t frame_limit = 1518;  // longest frame without FCS that it shall take
};

/// What the device turned out to have.
struct DpdkPortMode {
  std::string driver;
  std::uint16_t rx_queues = 1;
  std::uint32_t largest_frame = 0;
  bool scattered = false;  // frames may lie in several mbufs
};

/// Satisfies FramePort; capture, release and flush belong to one thread, which is registered with EAL.
class DpdkPort {
 public:
  /// Configures and starts the device. Throws std::runtime_error that names port and device: not found, fewer queues
  /// than asked for (says how many), frames longer than it takes, buffers too small.
  DpdkPort(const DpdkPortOptions& options, MbufPool& pool, const TscClock& clock);
  ~DpdkPort();
  DpdkPort(const DpdkPort&) = delete;
  DpdkPort& operator=(const DpdkPort&) = delete;

  std::size_t capture(std::span<Frame> burst);

  /// Frames go to the device in bursts, at the latest at flush(); what the device does not take waits here.
  bool release(const Frame& frame) {
    if (waiting_ == kBurst && !send()) {
      return false;
    }
    rte_mbuf* mbuf = MbufPool::mbuf(frame);
    // Held for long and not looked ahead to, it is in no cache; until the burst is full it comes.
    MbufPool::fetch(frame);
    tx_[waiting_++] = mbuf;
    return true;
  }
  void flush() {
    if (waiting_ > 0) {
      send();
    }
  }

  [[nodiscard]] const DpdkPortMode& mode() const { return mode_; }
  /// The device's own counters. Control thread.
  [[nodiscard]] rte_eth_stats statistics() const;

 private:
  static constexpr std::uint16_t kBurst = 64;

  void configure(const DpdkPortOptions& options, MbufPool& pool);
  bool send();

  std::uint16_t port_ = 0;
  DpdkPortMode mode_;
  TscReader clock_;
  std::uint16_t next_queue_ = 0;
  std::uint16_t waiting_ = 0;
  std::array<rte_mbuf*, kBurst> tx_{};
};

static_assert(FramePort<DpdkPort>);
static_assert(FramePool<MbufPool>);

}  // namespace hilgate

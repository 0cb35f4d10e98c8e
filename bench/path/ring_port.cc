// SPDX-License-Identifier: Apache-2.0
#include "bench/path/ring_port.h"

#include <fmt/format.h>

#include <stdexcept>

namespace hilgate {
namespace {

constexpr std::uint16_t kFrameBytes = 64;

// The driver makes one ring, and what is sent on it is received on it.
rte_ring* ring_of(const std::string& device) {
  rte_ring* ring = rte_ring_lookup(("ETH_RXTX0_" + device).c_str());
  if (ring == nullptr) {
    throw std::runtime_error(fmt::format("dpdk: device {}: the ring of its driver was not found", device));
  }
  return ring;
}

}  // namespace

RingPort::RingPort(unsigned from, MbufPool& pool, Nanoseconds delay, const TscClock& clock)
    : pool_(pool),
      delay_(delay),
      clock_(clock),
      header_(bench_header(from)),
      ring_(ring_of(device(from))),
      port_({.name = device(from), .device = device(from), .frame_limit = 2 * kFrameBytes}, pool, clock) {}

std::size_t RingPort::capture(std::span<Frame> burst) {
  if (to_send_ > 0 && clock_.now() >= next_) {
    inject();
  }
  const std::size_t count = port_.capture(burst);
  for (const Frame& frame : burst.first(count)) {
    const HostTime due = frame.arrived + delay_;
    std::memcpy(frame.data + kEthernetHeader, &due, sizeof due);
  }
  return count;
}

// Puts one frame where the device takes it from. When the path was not run for long, time is not made up.
void RingPort::inject() {
  rte_mbuf* mbuf = rte_pktmbuf_alloc(pool_.handle());
  if (mbuf == nullptr) {
    return;  // again at the next turn
  }
  std::memcpy(rte_pktmbuf_append(mbuf, kFrameBytes), header_.data(), header_.size());
  if (rte_ring_enqueue(ring_, mbuf) != 0) {
    rte_pktmbuf_free(mbuf);
    return;
  }
  --to_send_;
  next_ = std::max(next_ + interval_, clock_.now());
}

bool RingPort::release(const Frame& frame) {
  if (waiting_ == kBurst) {
    flush();
  }
  std::memcpy(&due_[waiting_++], frame.data + kEthernetHeader, sizeof(HostTime));
  return port_.release(frame);
}

void RingPort::flush() {
  if (waiting_ == 0) {
    return;
  }
  const HostTime now = clock_.now();
  for (const HostTime due : std::span(due_).first(waiting_)) {
    lateness_.add(now - due);
  }
  waiting_ = 0;
  port_.flush();
  std::array<void*, kBurst> sent{};
  while (const unsigned count = rte_ring_dequeue_burst(ring_, sent.data(), sent.size(), nullptr)) {
    for (void* mbuf : std::span(sent).first(count)) {
      rte_pktmbuf_free(static_cast<rte_mbuf*>(mbuf));
    }
  }
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// The packet loop's end of a serial line: a modem's radio side as a port. It makes no system call but the bells: it
// wakes the I/O thread when that sleeps, and clears its own before the loop sleeps.
#pragma once

#include <sys/eventfd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "clock/tsc_clock.h"
#include "frame/counters.h"
#include "frame/frame.h"
#include "serial/serial_exchange.h"

namespace hilgate {

/// Satisfies FramePort. All calls by the packet loop; counters are readable from any thread.
template <FramePool Pool>
class SerialPort {
 public:
  /// All must outlive the port.
  SerialPort(SerialExchange& exchange, Pool& pool, const TscClock& clock)
      : exchange_(exchange), pool_(pool), clock_(clock) {}

  /// All packets that were asked for have come.
  [[nodiscard]] bool awaits_ask() const noexcept { return asked_ == captured_; }
  /// The radio takes a packet of up to so many bytes. Requires awaits_ask().
  void ask(std::uint32_t bytes) noexcept {
    exchange_.most.store(bytes, std::memory_order_relaxed);
    exchange_.asked.store(++asked_, std::memory_order_release);
    exchange_.line.wake();
  }

  std::size_t capture(std::span<Frame> burst) noexcept {
    const SerialPacket* packet = burst.empty() ? nullptr : exchange_.to_radio.front();
    if (packet == nullptr) {
      return 0;
    }
    auto frame = pool_.make(packet->frame());
    ++captured_;
    exchange_.to_radio.drop_front();
    if (!frame) {
      no_memory_.add();
      return 0;
    }
    frame->arrived = clock_.now();
    burst.front() = *frame;
    return 1;
  }
  bool release(const Frame& frame) noexcept {
    SerialPacket* const packet = unplugged() || frame.length > packet_bytes() ? nullptr : exchange_.to_line.claim();
    if (packet == nullptr) {
      return false;
    }
    packet->length = 0;
    pool_.for_each_segment(frame, [packet](std::span<std::byte> part) {
      std::copy(part.begin(), part.end(), packet->bytes.begin() + packet->length);
      packet->length += static_cast<std::uint32_t>(part.size());
    });
    exchange_.to_line.publish();
    pool_.free(frame);
    released_ = true;
    return true;
  }
  void flush() noexcept {
    if (released_) {
      released_ = false;
      exchange_.line.wake();
    }
  }
  [[nodiscard]] bool unplugged() const noexcept { return !exchange_.open.load(std::memory_order_relaxed); }

  // For a loop that sleeps while nothing arrives.

  template <class Each>
  void each_arrival_fd(Each each) const {
    each(exchange_.arrived.get());
  }
  [[nodiscard]] bool arrivals_wake() const noexcept { return true; }
  [[nodiscard]] bool unfinished() const noexcept { return false; }
  bool arm_arrivals() noexcept {
    eventfd_t count = 0;
    ::eventfd_read(exchange_.arrived.get(), &count);
    return true;
  }
  void disarm_arrivals() noexcept {}

  /// Packets for which there was no frame memory.
  [[nodiscard]] std::uint64_t no_memory() const { return no_memory_.get(); }

 private:
  static constexpr std::size_t packet_bytes() { return sizeof(SerialPacket::bytes); }

  SerialExchange& exchange_;
  Pool& pool_;
  TscReader clock_;
  std::uint64_t asked_ = 0;
  std::uint64_t captured_ = 0;
  bool released_ = false;
  Counter no_memory_;
};

}  // namespace hilgate

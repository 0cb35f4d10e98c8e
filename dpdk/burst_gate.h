// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace hilgate {

/// Keeps the packet loop off a device while another thread changes it. The loop asks before each burst; the other
/// thread closes the gate and waits until the loop has seen it: from then on no burst is under way, and none begins
/// before open(). One loop, one other thread.
class BurstGate {
 public:
  /// Packet loop, before each burst. False: the device must not be used now.
  [[nodiscard]] bool passes() noexcept {
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::kOpen) [[likely]] {
      return true;
    }
    if (state == State::kClosing) {
      state_.store(State::kClosed, std::memory_order_release);
    }
    return false;
  }

  /// The other thread. Does nothing when the gate is not open.
  void close() noexcept {
    State open = State::kOpen;
    state_.compare_exchange_strong(open, State::kClosing, std::memory_order_acq_rel);
  }
  /// The loop has seen that the gate is closed.
  [[nodiscard]] bool is_closed() const noexcept { return state_.load(std::memory_order_acquire) == State::kClosed; }
  /// Once it is closed.
  void open() noexcept { state_.store(State::kOpen, std::memory_order_release); }

 private:
  enum class State : std::uint8_t { kOpen, kClosing, kClosed };

  std::atomic<State> state_{State::kOpen};
};

}  // namespace hilgate

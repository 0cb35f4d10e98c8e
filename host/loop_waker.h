// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "host/file_descriptor.h"

namespace hilgate {

/// Ends the sleep of a loop, mainly of a packet loop, from other threads. The loop announces that it is about to sleep,
/// checks once more for work, and sleeps; a thread that has written work calls wake(). With a full fence on both sides,
/// one of the two sees the other: no work is left lying.
class LoopWaker {
 public:
  /// Throws std::system_error when the kernel gives no eventfd.
  LoopWaker();
  LoopWaker(const LoopWaker&) = delete;
  LoopWaker& operator=(const LoopWaker&) = delete;

  /// Any thread, after it has written what the loop shall see. A fence while the loop is awake; the first call of a
  /// sleep makes a system call.
  void wake() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (asleep_.load(std::memory_order_relaxed) && asleep_.exchange(false, std::memory_order_acq_rel)) {
      notify();
    }
  }

  /// The loop: from now on a wake() ends a sleep on fd(). What was written before is to be looked for after this call.
  void announce() noexcept {
    asleep_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// The loop: awake again, or not asleep after all.
  void withdraw() noexcept {
    if (!asleep_.exchange(false, std::memory_order_acq_rel)) {
      clear();
    }
  }
  /// Readable after a wake() that found the loop asleep.
  [[nodiscard]] int fd() const { return event_.get(); }

 private:
  void notify() const noexcept;
  void clear() const noexcept;

  FileDescriptor event_;
  std::atomic<bool> asleep_{false};
};

}  // namespace hilgate

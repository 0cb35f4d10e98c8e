// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>

#include "clock/time.h"

namespace hilgate {

/// The clock and the alarm of the window engine. Tests inject one that they turn by hand.
class WindowTimer {
 public:
  virtual ~WindowTimer() = default;
  WindowTimer() = default;
  WindowTimer(const WindowTimer&) = delete;
  WindowTimer& operator=(const WindowTimer&) = delete;

  [[nodiscard]] virtual HostTime now() const = 0;
  /// Calls `ring` once at or after `instant`, never from within this call; replaces an alarm that is set.
  virtual void at(HostTime instant, std::function<void()> ring) = 0;
  virtual void cancel() = 0;
};

/// CLOCK_MONOTONIC with a timerfd. Absolute, so that delays do not add up; and a timerfd, because the kernel may
/// delay a timeout of epoll_wait by the thread's timer slack (50 us by default, prctl(2)), but not this. Waking up
/// takes tens of microseconds all the same, so that the alarm is set early by what the kernel needed so far (about its
/// 90th percentile) and the rest is waited for awake: at most 100 us, and at most a sixteenth of the time until the
/// instant.
class HostWindowTimer final : public WindowTimer {
 public:
  /// Throws std::system_error when the kernel has no timer left.
  explicit HostWindowTimer(asio::io_context& io);
  ~HostWindowTimer() override;

  [[nodiscard]] HostTime now() const override;
  void at(HostTime instant, std::function<void()> ring) override;
  void cancel() override;

 private:
  void wait();
  void learn(Nanoseconds late);

  asio::posix::stream_descriptor timer_;
  std::function<void()> ring_;
  HostTime due_{};
  HostTime alarm_{};           // what the kernel was asked for
  Nanoseconds early_{20'000};  // how much before due_
  bool waiting_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate

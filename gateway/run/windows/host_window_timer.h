// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include "gateway/run/windows/window_timer.h"

namespace hilgate {

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

// SPDX-License-Identifier: Apache-2.0
#include "gateway/windows/host_window_timer.h"

#include <sys/timerfd.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>

namespace hilgate {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Nanoseconds kEarly{100'000};
constexpr int kShareAwake = 16;

int make_timer() {
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd < 0) {
    throw std::system_error(errno, std::generic_category(), "timerfd_create");
  }
  return fd;
}

void set_timer(int fd, std::int64_t ns) {
  itimerspec spec{};
  spec.it_value = {.tv_sec = ns / kSecond, .tv_nsec = ns % kSecond};
  if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "timerfd_settime");
  }
}

}  // namespace

HostWindowTimer::HostWindowTimer(asio::io_context& io) : timer_(io, make_timer()) {}

HostWindowTimer::~HostWindowTimer() {
  *alive_ = false;
}

HostTime HostWindowTimer::now() const {
  timespec at{};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return HostTime{Nanoseconds{at.tv_sec * kSecond + at.tv_nsec}};
}

void HostWindowTimer::at(HostTime instant, std::function<void()> ring) {
  ring_ = std::move(ring);
  due_ = instant;
  const Nanoseconds early = std::clamp((instant - now()) / kShareAwake, Nanoseconds{0}, kEarly);
  // 0 would disarm it; an instant that has passed rings at once.
  set_timer(timer_.native_handle(), std::max<std::int64_t>((instant - early).time_since_epoch().count(), 1));
  if (!waiting_) {
    wait();
  }
}

void HostWindowTimer::wait() {
  waiting_ = true;
  timer_.async_read_some(asio::buffer(&expirations_, sizeof expirations_),
                         [this, alive = alive_](std::error_code error, std::size_t) {
                           if (!*alive) {
                             return;
                           }
                           waiting_ = false;
                           if (error || !ring_) {
                             return;
                           }
                           if (due_ - now() > kEarly) {
                             return wait();  // that was an alarm which has been replaced
                           }
                           while (now() < due_) {
                             __builtin_ia32_pause();
                           }
                           std::exchange(ring_, nullptr)();
                         });
}

void HostWindowTimer::cancel() {
  ring_ = nullptr;
  set_timer(timer_.native_handle(), 0);
}

}  // namespace hilgate

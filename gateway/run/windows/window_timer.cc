// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/window_timer.h"

#include <sys/timerfd.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace hilgate {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Nanoseconds kMostEarly{100'000};
constexpr int kShareAwake = 16;
// Of learn(): 9 steps up for one wake-up in ten that came too late balance one step down for each of the others.
constexpr Nanoseconds kStep{100};
constexpr int kStepsUp = 9;

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
  const HostTime armed = now();
  alarm_ = std::max(instant - std::min((instant - armed) / kShareAwake, early_), armed);
  set_timer(timer_.native_handle(), alarm_.time_since_epoch().count());
  if (!waiting_) {
    wait();
  }
}

void HostWindowTimer::wait() {
  waiting_ = true;
  // Not read: setting the timer takes its expirations back.
  timer_.async_wait(asio::posix::stream_descriptor::wait_read, [this, alive = alive_](std::error_code error) {
    if (!*alive) {
      return;
    }
    waiting_ = false;
    if (error || !ring_) {
      return;
    }
    const HostTime woken = now();
    if (woken < alarm_) {
      return wait();  // that was an alarm which has been replaced
    }
    learn(woken - alarm_);
    while (now() < due_) {
      __builtin_ia32_pause();
    }
    std::exchange(ring_, nullptr)();
  });
}

// A quantile of what comes, without memory of it: H. Robbins, S. Monro, "A stochastic approximation method", 1951.
void HostWindowTimer::learn(Nanoseconds late) {
  early_ = std::clamp(early_ + (late > early_ ? kStepsUp * kStep : -kStep), Nanoseconds{0}, kMostEarly);
}

void HostWindowTimer::cancel() {
  ring_ = nullptr;
  set_timer(timer_.native_handle(), 0);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "serial/serial_io.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "clock/host_now.h"
#include "host/process.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kLongestSleep{1};

}  // namespace

SerialIo::~SerialIo() {
  if (thread_.joinable()) {
    thread_.request_stop();
    waker_.wake();
    thread_.join();
  }
}

const SerialLine& SerialIo::add(std::unique_ptr<SerialLine> line) {
  lines_.push_back(std::move(line));
  return *lines_.back();
}

void SerialIo::start() {
  if (!lines_.empty()) {
    const HostTime now = host_now();
    for (const auto& line : lines_) {
      line->advance(now);
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    pthread_setname_np(thread_.native_handle(), "hilgate-serial");
  }
}

void SerialIo::run(const std::stop_token& stop) {
  leave_signals_to_others();
  while (!stop.stop_requested()) {
    const HostTime now = host_now();
    HostTime until = now + kLongestSleep;
    for (const auto& line : lines_) {
      line->advance(now);
      until = std::min(until, line->next());
    }
    waker_.announce();
    if (!stop.stop_requested() && std::ranges::none_of(lines_, [](const auto& line) { return line->called(); })) {
      sleep(until);
    }
    waker_.withdraw();
  }
}

void SerialIo::sleep(HostTime until) {
  watched_.assign(1, {.fd = waker_.fd(), .events = POLLIN, .revents = 0});
  for (const auto& line : lines_) {
    if (const auto terminal = line->watched()) {
      watched_.push_back(*terminal);
    }
  }
  const auto left = std::max<Nanoseconds>(until - host_now(), Nanoseconds{0});
  const timespec span{.tv_sec = static_cast<std::time_t>(left.count() / 1'000'000'000),
                      .tv_nsec = static_cast<long>(left.count() % 1'000'000'000)};
  ::ppoll(watched_.data(), watched_.size(), &span, nullptr);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/tunnel_sleep.h"

#include <poll.h>

#include <array>
#include <csignal>
#include <ctime>

namespace hilgate {

void sleep_until(int waker, int socket, Nanoseconds span) noexcept {
  if (span <= Nanoseconds{0}) {
    return;
  }
  std::array<pollfd, 2> watched{
      {{.fd = waker, .events = POLLIN, .revents = 0}, {.fd = socket, .events = POLLIN, .revents = 0}}};
  const timespec limit{.tv_sec = static_cast<std::time_t>(span.count() / 1'000'000'000),
                       .tv_nsec = static_cast<long>(span.count() % 1'000'000'000)};
  ::ppoll(watched.data(), watched.size(), &limit, nullptr);
}

void leave_signals_to_others() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "path/idle_wait.h"

#include <sys/prctl.h>

#include <ctime>

namespace hilgate {

// The kernel may otherwise put off the end of a sleep by 50 us, to end several at once: PR_SET_TIMERSLACK of prctl(2).
void IdleWait::enter_thread() noexcept {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

// Whatever ends it, a signal too, the next iteration looks at everything.
void IdleWait::sleep(Nanoseconds length) noexcept {
  const timespec span{.tv_sec = static_cast<std::time_t>(length.count() / 1'000'000'000),
                      .tv_nsec = static_cast<long>(length.count() % 1'000'000'000)};
  timed_out_ = ::ppoll(watched_.data(), watched_.size(), &span, nullptr) == 0;
}

void IdleWait::note(HostTime from, HostTime until, HostTime woke) noexcept {
  sleeps_.add();
  asleep_ns_.add(static_cast<std::uint64_t>((woke - from).count()));
  if (timed_out_) {
    early_ += woke - until > early_ ? 99 * kEarlyStep : -kEarlyStep;
    early_ = std::clamp(early_, kLeastEarly, kMostEarly);
    early_ns_.store(early_.count(), std::memory_order_relaxed);
    if (woke - until > kStall) {
      overslept_ns_.add(static_cast<std::uint64_t>((woke - until).count()));
    }
  }
}

}  // namespace hilgate

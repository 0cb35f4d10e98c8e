// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace hilgate {

/// Signals that ask this process to end (INT, TERM, HUP) wait as long as this lives, also for programs started
/// meanwhile: work that must not stop half-way asks pending() where it may stop. They arrive at the end of the scope.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&ending_);
    sigaddset(&ending_, SIGINT);
    sigaddset(&ending_, SIGTERM);
    sigaddset(&ending_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending_, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  [[nodiscard]] bool pending() const {
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
           sigismember(&waiting, SIGHUP) == 1;
  }

 private:
  sigset_t ending_{};
  sigset_t before_{};
};

}  // namespace hilgate

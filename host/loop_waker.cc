// SPDX-License-Identifier: Apache-2.0
#include "host/loop_waker.h"

#include <sys/eventfd.h>

namespace hilgate {

LoopWaker::LoopWaker() : event_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd of a loop")) {}

// It fails when the count is at its limit alone: then the descriptor is readable anyway.
void LoopWaker::notify() const noexcept {
  ::eventfd_write(event_.get(), 1);
}

void LoopWaker::clear() const noexcept {
  eventfd_t count = 0;
  ::eventfd_read(event_.get(), &count);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/time.h"

namespace hilgate {

/// Until one of the descriptors is readable, at most for `span`. Returns at once when that is not above 0.
void sleep_until(int waker, int socket, Nanoseconds span) noexcept;

/// For a thread beside the control thread.
void leave_signals_to_others() noexcept;

}  // namespace hilgate

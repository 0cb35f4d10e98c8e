// SPDX-License-Identifier: Apache-2.0
// Real-time priorities: threads that run before all programs without one. SCHED_FIFO of sched(7).
#pragma once

#include <pthread.h>

namespace hilgate {

/// Greater ones first, [1, 99]. The control thread is before the packet loops, which may have work without end.
inline constexpr int kPacketLoopPriority = 1;
inline constexpr int kControlPriority = 2;

/// CAP_SYS_NICE, or RLIMIT_RTPRIO of at least `priority`.
[[nodiscard]] bool may_run_in_real_time(int priority);

/// Any thread of this process. Threads and processes that it starts from now on have no such priority. Throws
/// std::system_error without the right.
void run_in_real_time(pthread_t thread, int priority);

}  // namespace hilgate

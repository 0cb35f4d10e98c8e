// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <set>

#include "host/file_descriptor.h"

namespace hilgate {

/// Bytes of a processor's second cache, as reported by the kernel, else 512 KiB.
inline std::size_t second_cache_bytes() {
  const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : std::size_t{512} << 10;
}

/// That the calling thread may use.
std::size_t processors_allowed();

/// The calling thread, and those that it makes from here on, leave these processors to others, where it may use some
/// besides them.
void stay_off(const std::set<unsigned>& processors);

/// For how long a thread could have run, and had no processor: the kernel's account, /proc/thread-self/schedstat of
/// proc(5). To be made and asked on that thread; an answer costs about 1 us.
class ProcessorWait {
 public:
  ProcessorWait();

  /// Since the thread began. 0 where the kernel keeps no such account.
  [[nodiscard]] std::chrono::nanoseconds total() const;

 private:
  FileDescriptor file_;
};

}  // namespace hilgate

// Real-time priorities: threads that run before all programs without one. SCHED_FIFO of sched(7).

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

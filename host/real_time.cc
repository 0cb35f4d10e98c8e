// SPDX-License-Identifier: Apache-2.0
#include "host/real_time.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>

#include <array>
#include <string>
#include <system_error>

#include "host/capabilities.h"

namespace hilgate {

bool may_run_in_real_time(int priority) {
  rlimit most{};
  return missing_capabilities(std::array{Capability{CAP_SYS_NICE, "CAP_SYS_NICE"}}).empty() ||
         (getrlimit(RLIMIT_RTPRIO, &most) == 0 && most.rlim_cur >= static_cast<rlim_t>(priority));
}

void run_in_real_time(pthread_t thread, int priority) {
  const sched_param parameters{.sched_priority = priority};
  if (const int error = pthread_setschedparam(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters); error != 0) {
    throw std::system_error(error, std::generic_category(),
                            "scheduling: realtime: cannot give a thread the priority " + std::to_string(priority));
  }
}

}  // namespace hilgate

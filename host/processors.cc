// SPDX-License-Identifier: Apache-2.0
#include "host/processors.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "host/confinement.h"

namespace hilgate {
namespace {

cpu_set_t allowed() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ::sched_getaffinity(0, sizeof mask, &mask);
  return mask;
}

}  // namespace

std::size_t processors_allowed() {
  const cpu_set_t mask = allowed();
  return static_cast<std::size_t>(CPU_COUNT(&mask));
}

void stay_off(const std::set<unsigned>& processors) {
  cpu_set_t mask = allowed();
  for (const unsigned processor : processors) {
    if (processor < CPU_SETSIZE) {
      CPU_CLR(processor, &mask);
    }
  }
  if (CPU_COUNT(&mask) > 0) {
    ::sched_setaffinity(0, sizeof mask, &mask);
  }
}

ProcessorWait::ProcessorWait() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

// "time on a processor, time waiting for one, time slices", in ns.
std::chrono::nanoseconds ProcessorWait::total() const {
  std::array<char, 96> buffer{};
  const ssize_t size = ::pread(file_.get(), buffer.data(), buffer.size(), 0);
  const std::string_view text(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t second = text.find(' ');
  std::int64_t waited = 0;
  if (second != std::string_view::npos) {
    std::from_chars(text.data() + second + 1, text.data() + text.size(), waited);
  }
  return std::chrono::nanoseconds{waited};
}

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <optional>

namespace hilgate {

/// The processors this process may use when it is made: the first, and the last for what is measured.
class BenchCore {
 public:
  BenchCore() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &allowed)) {
        first_ = first_.value_or(cpu);
        last_ = cpu;
      }
    }
  }
  [[nodiscard]] unsigned first() const { return first_.value_or(0); }
  [[nodiscard]] unsigned measured() const { return last_; }

  /// The calling thread stays on measured(); on a machine with one processor it was there before.
  void stay() const {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last_, &one);
    sched_setaffinity(0, sizeof one, &one);
  }

 private:
  std::optional<unsigned> first_;
  unsigned last_ = 0;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <vector>

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
        all_.push_back(cpu);
      }
    }
  }
  [[nodiscard]] unsigned first() const { return all_.empty() ? 0 : all_.front(); }
  [[nodiscard]] unsigned measured() const { return all_.empty() ? 0 : all_.back(); }
  [[nodiscard]] const std::vector<unsigned>& all() const { return all_; }

  /// The calling thread stays on measured(); on a machine with one processor it was there before.
  void stay() const { stay_on(measured()); }
  static void stay_on(unsigned cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }

 private:
  std::vector<unsigned> all_;
};

}  // namespace hilgate

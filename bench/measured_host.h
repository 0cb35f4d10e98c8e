// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace hilgate {

/// The CPUs that this process may use: the last for what forwards, the others for traffic. A single one is shared.
class BenchProcessors {
 public:
  BenchProcessors() {
    CPU_ZERO(&before_);
    ::sched_getaffinity(0, sizeof before_, &before_);
    for (unsigned cpu = CPU_SETSIZE; cpu-- > 0 && CPU_COUNT(&before_) > 1 && !forwarding_;) {
      if (CPU_ISSET(cpu, &before_)) {
        forwarding_ = cpu;
      }
    }
  }
  [[nodiscard]] std::optional<unsigned> forwarding() const { return forwarding_; }

  /// Threads that the caller makes from here on inherit it.
  void keep_traffic_off_forwarding() const {
    cpu_set_t others = before_;
    if (forwarding_) {
      CPU_CLR(*forwarding_, &others);
    }
    ::sched_setaffinity(0, sizeof others, &others);
  }
  void go_forwarding() const {
    cpu_set_t one;
    CPU_ZERO(&one);
    if (forwarding_) {
      CPU_SET(*forwarding_, &one);
      ::sched_setaffinity(0, sizeof one, &one);
    }
  }
  void allow_all() const { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
  std::optional<unsigned> forwarding_;
};

/// What figures depend on besides the program: model and number of processors, the kernel, the load of the last minute.
nlohmann::ordered_json measured_host();

}  // namespace hilgate

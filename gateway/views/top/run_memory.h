// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <nlohmann/json.hpp>
#include <vector>

#include "gateway/views/top/seen_run.h"

namespace hilgate {

/// Remembers what a run has counted in the last ten seconds. A run that has been started again begins anew.
class RunMemory {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The status document, with the rates since earlier ones.
  SeenRun add(Time at, nlohmann::ordered_json status);

 private:
  struct Counted {
    Time at;
    double uptime_s = 0;
    std::uint64_t in = 0, out = 0;
    DropCounts dropped;
    std::vector<CountedLink> links;
  };

  [[nodiscard]] const Counted* before(Time at, std::chrono::milliseconds span) const;

  std::deque<Counted> counted_;
};

}  // namespace hilgate

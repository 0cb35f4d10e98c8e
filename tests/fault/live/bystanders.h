// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {

/// What a pair of robots that has nothing to do with a fault noticed of it.
struct Noticed {
  std::size_t sent = 0;
  std::size_t lost = 0;
  std::chrono::nanoseconds p50{}, p99{};
};

/// Red sends a numbered frame to blue every 2 ms, until asked what came of it.
class Bystanders {
 public:
  explicit Bystanders(const RunningGateway& gateway);

  [[nodiscard]] std::size_t sent() const { return sent_; }
  /// Ends the traffic; what was lost, and how long frames were under way.
  Noticed finish();

 private:
  RawSocket red_, blue_;
  std::vector<Arrival> arrivals_;
  std::atomic<std::size_t> sent_ = 0;
  std::jthread receiver_;
  std::jthread sender_;
};

}  // namespace hilgate::test

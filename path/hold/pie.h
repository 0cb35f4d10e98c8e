// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "netsim_link/impairments/queue_rules.h"
#include "path/hold/delivery_line.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// Proportional integral controller enhanced (R. Pan et al., RFC 8033, 4 and 5): frames are dropped, or marked, as they
/// come, with a probability that follows the delay of the queue. The delay is that of the frame that left last (RFC
/// 8033, 5.2, time stamps). Time is the caller's. Does not allocate.
class Pie {
 public:
  Pie(const QueueRules& rules, std::uint64_t seed, std::uint32_t stream)
      : target_(rules.target), interval_(rules.interval), ecn_(rules.ecn), random_(seed, stream, 0) {}

  /// Of a frame that comes; head.left is what waits.
  QueueVerdict judge(const QueueHead& head);
  /// A frame leaves.
  void leaves(const QueueHead& head);

  /// With which frames are dropped now.
  [[nodiscard]] double probability() const { return probability_; }

 private:
  void advance(HostTime now, bool empty);
  void update(double delay);
  bool hits();

  Nanoseconds target_;
  Nanoseconds interval_;
  bool ecn_;
  bool begun_ = false;
  HostTime next_{};  // update
  Nanoseconds burst_{150'000'000};
  double delay_ = 0;      // of the frame that left last, s
  double delay_old_ = 0;  // at the last update, s
  double probability_ = 0;
  double accumulated_ = 0;  // probability since the last drop (RFC 8033, 5.4)
  FrameRandom random_;
};

}  // namespace hilgate

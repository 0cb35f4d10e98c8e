// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "frame/slab.h"
#include "netsim_link/impairments/queue_rules.h"
#include "path/hold/delivery_line.h"

namespace hilgate {

/// Dual queue with coupled active management (K. De Schepper et al., RFC 9332, appendix A: DualPI2). Frames of scalable
/// flows (L4S: ECT(1) and CE) have a line with a delay of about a millisecond, the classic ones a line whose delay is
/// controlled to the target; the probability of the classic line, to the square root and doubled, marks the L4S line as
/// well, so that flows of both kinds get the same rate. Both are marked or dropped as they leave. Time is the caller's.
/// Does not allocate.
class DualPi2 {
 public:
  explicit DualPi2(const QueueRules& rules) : target_(rules.target), interval_(rules.interval), ecn_(rules.ecn) {}

  void append(Slab<QueuedDelivery>& nodes, NodeIndex node) {
    advance(nodes, nodes[node].ready);
    (nodes[node].scalable ? scalable_ : classic_).append(nodes, node);
  }
  /// The delivery that is sent at `now`; those that are taken before it are handed to drop(const QueuedDelivery&).
  /// Requires that one waits. The last one that waits is never taken.
  template <class Drop>
  QueuedDelivery pop(Slab<QueuedDelivery>& nodes, HostTime now, Drop drop) {
    advance(nodes, now);
    for (;;) {
      const bool scalable = turn_is_scalable();
      QueuedDelivery delivery = (scalable ? scalable_ : classic_).pop(nodes);
      pay(scalable, delivery.pending.length);
      const QueueVerdict verdict = scalable ? judge_scalable(delivery, now) : judge_classic(delivery);
      if (verdict != QueueVerdict::kDrop || (scalable_.empty() && classic_.empty())) {
        delivery.congestion = verdict == QueueVerdict::kMark;
        return delivery;
      }
      drop(delivery);
    }
  }
  /// The older one of the first of both lines. Requires that one waits.
  QueuedDelivery pop_first(Slab<QueuedDelivery>& nodes) {
    const bool scalable =
        classic_.empty() || (!scalable_.empty() && nodes[scalable_.head].ready < nodes[classic_.head].ready);
    return (scalable ? scalable_ : classic_).pop(nodes);
  }

  /// The controller's state of another one with the same rules, without its deliveries.
  void take_over(const DualPi2& old);

  /// p', of which the classic line has the square and the other one the double.
  [[nodiscard]] double base_probability() const { return probability_; }

 private:
  void advance(const Slab<QueuedDelivery>& nodes, HostTime now);
  [[nodiscard]] bool turn_is_scalable() const;
  void pay(bool scalable, std::uint32_t bytes);
  QueueVerdict judge_scalable(const QueuedDelivery& delivery, HostTime now);
  QueueVerdict judge_classic(const QueuedDelivery& delivery);

  Nanoseconds target_;
  Nanoseconds interval_;
  bool ecn_;
  DeliveryLine scalable_;
  DeliveryLine classic_;
  bool begun_ = false;
  HostTime next_{};                 // update
  double probability_ = 0;          // p'
  double delay_old_ = 0;            // of the classic line at the last update, s
  double scalable_hits_ = 0;        // likelihoods since the last mark of the line, as the RFC's recur() adds them up
  double classic_hits_ = 0;         // the same of the other line
  double drop_hits_ = 0;            // the same of drops from the L4S line under overload
  std::int64_t classic_share_ = 0;  // credit of the classic line: above 0 it is its turn, bytes
};

}  // namespace hilgate

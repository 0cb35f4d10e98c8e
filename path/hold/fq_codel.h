// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "frame/slab.h"
#include "netsim_link/impairments/queue_rules.h"
#include "path/hold/codel.h"
#include "path/hold/delivery_line.h"

namespace hilgate {

/// The next delivery of `line` that `codel` lets through at `now`; those that it takes are handed to
/// drop(const QueuedDelivery&). Nothing when none is left.
template <class Drop>
std::optional<QueuedDelivery> pop_by(CoDel& codel, DeliveryLine& line, Slab<QueuedDelivery>& nodes, HostTime now,
                                     Drop& drop) {
  while (!line.empty()) {
    QueuedDelivery delivery = line.pop(nodes);
    const QueueVerdict verdict = codel.judge(head_of(delivery, now, line.bytes));
    if (verdict != QueueVerdict::kDrop) {
      delivery.congestion = verdict == QueueVerdict::kMark;
      return delivery;
    }
    drop(delivery);
  }
  return std::nullopt;
}

/// Flow queue CoDel (T. Hoeiland-Joergensen et al., RFC 8290, 4): a line for each flow with a CoDel of its own, served
/// in turns of a quantum of bytes, new flows first. Time is the caller's. Does not allocate after construction.
class FqCodel {
 public:
  explicit FqCodel(const QueueRules& rules);

  /// Puts a node at the end of its flow's line.
  void append(Slab<QueuedDelivery>& nodes, NodeIndex node);

  /// The delivery that is sent at `now`; those that CoDel takes before it are handed to drop(const QueuedDelivery&).
  /// Requires that one waits.
  template <class Drop>
  QueuedDelivery pop(Slab<QueuedDelivery>& nodes, HostTime now, Drop drop) {
    for (;;) {
      Flow& flow = next_flow();
      if (auto delivery = pop_by(flow.codel, flow.line, nodes, now, drop)) {
        flow.credits -= delivery->pending.length;
        return *delivery;
      }
      end_turn();
    }
  }
  /// The first delivery of the flow with the most bytes, for a full queue. Requires that one waits.
  QueuedDelivery pop_longest(Slab<QueuedDelivery>& nodes);

  [[nodiscard]] std::size_t bytes() const { return flows_.size() * sizeof(Flow); }

  /// CoDel's states of another one with the same rules.
  void take_over(const FqCodel& old);

 private:
  using FlowIndex = std::uint32_t;
  static constexpr FlowIndex kNoFlow = 0xFFFF'FFFF;
  struct Flow {
    DeliveryLine line;
    CoDel codel;
    std::int64_t credits = 0;
    FlowIndex next = kNoFlow;  // in its list
    bool listed = false;
  };
  struct FlowList {
    FlowIndex head = kNoFlow;
    FlowIndex tail = kNoFlow;
  };
  Flow& next_flow();
  void end_turn();
  void append(FlowList& list, FlowIndex flow);
  FlowIndex pop(FlowList& list);
  [[nodiscard]] FlowList& served() { return new_.head != kNoFlow ? new_ : old_; }

  std::int64_t quantum_;
  std::vector<Flow> flows_;
  FlowList new_;
  FlowList old_;
};

}  // namespace hilgate

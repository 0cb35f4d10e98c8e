// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "path/hold/held_frame.h"

namespace hilgate {

// What the active management of a queue receives about a frame, and its answer.

/// A frame at the instant at which it is to leave its queue, or comes to it.
struct QueueHead {
  HostTime now{};
  Nanoseconds waited{0};    // in the queue until now; 0 for one that comes
  std::uint32_t bytes = 0;  // its own
  std::uint64_t left = 0;   // bytes of the others that wait
  bool capable = false;     // of ECN
};

enum class QueueVerdict : std::uint8_t { kPass, kMark, kDrop };

/// One delivery in a queue.
struct QueuedDelivery {
  PendingDelivery pending;
  HostTime ready{};                // when it came to the queue
  std::optional<DropReason> lost;  // what becomes of it when it has been sent
  bool capable = false;            // of ECN; known where the queue is managed, like `flow`
  bool scalable = false;           // ECT(1) or CE (RFC 9331); likewise
  bool congestion = false;         // to be marked Congestion Experienced
  std::uint32_t flow = 0;
  NodeIndex next = kNoNode;
};

/// What a discipline judges of a delivery at `now`, of a queue with `others` bytes besides it.
inline QueueHead head_of(const QueuedDelivery& delivery, HostTime now, std::uint64_t others) {
  return {.now = now,
          .waited = now - delivery.ready,
          .bytes = delivery.pending.length,
          .left = others,
          .capable = delivery.capable};
}

/// Deliveries in their order, in nodes of a slab that other lines share.
struct DeliveryLine {
  std::uint64_t bytes = 0;
  NodeIndex head = kNoNode;
  NodeIndex tail = kNoNode;

  [[nodiscard]] bool empty() const { return head == kNoNode; }
  void append(Slab<QueuedDelivery>& nodes, NodeIndex node) {
    nodes[node].next = kNoNode;
    if (empty()) {
      head = node;
    } else {
      nodes[tail].next = node;
    }
    tail = node;
    bytes += nodes[node].pending.length;
  }
  /// The first one; its node is free again. Requires one.
  QueuedDelivery pop(Slab<QueuedDelivery>& nodes) {
    const NodeIndex node = head;
    const QueuedDelivery delivery = nodes[node];
    head = delivery.next;
    nodes.give_back(node);
    bytes -= delivery.pending.length;
    return delivery;
  }
};

}  // namespace hilgate

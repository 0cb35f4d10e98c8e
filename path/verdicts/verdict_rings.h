// SPDX-License-Identifier: Apache-2.0
// What passes between the packet loop, where frames are parked, and the control thread, which has them judged.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/id.h"
#include "frame/spsc_ring.h"
#include "host/loop_waker.h"

namespace hilgate {

/// A frame that was parked. Ids count up from 0 in the order of capture.
struct ParkedPacket {
  std::uint64_t id = 0;
  HostTime arrived{};
  RobotSlot from{};
  OptionalIndex<RobotSlot> to{};  // none: a group
  std::uint32_t length = 0;       // bytes of the Ethernet frame, without FCS
  std::uint32_t src_ip = 0;       // IPv4 in host byte order; 0 when it has none
  std::uint32_t dst_ip = 0;
  std::uint8_t traffic_class = 0;  // of IPv4 or IPv6
};

/// What becomes of a parked frame.
struct ParkedOrder {
  enum class What : std::uint8_t {
    kDeliver,  // to `to`, at `due`, damaged at the rate `ber`; a second time makes a copy
    kDrop,     // what was for `to`
    kForget,   // no further orders come: undecided deliveries are dropped
  };
  std::uint64_t packet = 0;
  HostTime due{};  // kNow: at once
  double ber = 0;  // [0, 1)
  RobotSlot to{};  // kForget concerns every receiver
  What what = What::kForget;
  DropReason reason = DropReason::kVerdictMissing;
};

/// One pair of rings. The packet loop never waits: frames that find the first full are dropped, and the control thread
/// keeps what finds the second full.
struct VerdictRings {
  static constexpr HostTime kNow = HostTime::min();

  explicit VerdictRings(std::size_t capacity) : parked(capacity), orders(capacity) {}
  SpscRing<ParkedPacket> parked;  // packet loop -> control thread
  SpscRing<ParkedOrder> orders;   // control thread -> packet loop
  std::atomic<bool> open{false};  // a simulator decides; without, frames are dropped
  LoopWaker* reader = nullptr;    // of `orders`; null: it never sleeps

  /// The control thread, after it has pushed orders.
  void orders_given() const noexcept {
    if (reader != nullptr) {
      reader->wake();
    }
  }
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Between stages 2 and 3, on several cores: frames of radios whose medium is decided by another core than that of their
// port. One core decides each medium, so that its stations meet one another, and draws the fates of their frames: they
// are those of a gateway with one core. To the core, the tunnel of a site is such a core: it has the frames decided at
// another gateway, and brings those that are to be decided here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "frame/drop_reason.h"
#include "frame/headers.h"
#include "path/addresses/directory.h"
#include "path/cores/crossings.h"
#include "path/delivery_ledger.h"
#include "path/hold/held_frame.h"
#include "path/path_parts.h"

namespace hilgate {

template <FramePool Pool>
class HomeStage {
 public:
  /// The references must outlive the stage, the crossings not.
  HomeStage(const Crossings& crossings, PathParts& parts, DeliveryLedger<Pool>& ledger)
      : to_(crossings.air_to), from_(crossings.air_from), parts_(parts), ledger_(ledger) {
    parts.set_homes(crossings);
  }

  /// To the core of the sender's medium, which counts the deliveries. Requires FirstStep::kOtherCore.
  void enqueue_home(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    const AirCrossing crossing{.frame = sending.frame,
                               .from = sending.from,
                               .to = receivers.front(),
                               .payload = sending.payload,
                               .group = sending.group,
                               .alone = receivers.size() == 1};
    if (!parts_.slot(sending.from).home->push(crossing)) {
      drop(sending, receivers);
    }
  }

  /// At most `most` frames from each other core, to each(const FlowRun&).
  template <class Each>
  void dequeue_home(std::size_t most, Each each) noexcept {
    each_crossing(most, [&](const AirCrossing& crossing) {
      const std::span<const RobotSlot> to = receivers(crossing);
      if (to.empty()) {  // those it was for are gone meanwhile
        return ledger_.refuse(crossing.frame, DropReason::kNoReceiver);
      }
      each(FlowRun{.frames = {&crossing.frame, 1},
                   .from = crossing.from,
                   .to = to,
                   .payload = crossing.payload,
                   .group = crossing.group});
    });
  }

  [[nodiscard]] bool has_crossings() const noexcept { return any_waiting(from_); }
  /// Wakes the cores whose rings were written to, once an iteration.
  void announce() const noexcept {
    for (AirRing* ring : to_) {
      ring->announce();
    }
  }
  /// Frames taken from other cores since the start.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

  void drop_all(DropReason reason) noexcept {
    each_crossing(std::numeric_limits<std::size_t>::max(),
                  [&](const AirCrossing& crossing) { ledger_.refuse(crossing.frame, reason); });
  }

 private:
  [[nodiscard]] std::span<const RobotSlot> receivers(const AirCrossing& crossing) noexcept {
    if (crossing.alone) {
      return {&crossing.to, 1};
    }
    const std::span<const std::byte> head(crossing.frame.data, crossing.frame.head_length);
    const auto ethernet = parse_ethernet(head);
    return ethernet ? parts_.directory.receivers(crossing.from, head, *ethernet) : std::span<const RobotSlot>{};
  }

  [[gnu::noinline]] void drop(const Sending& sending, std::span<const RobotSlot> receivers) noexcept {
    ledger_.share(sending.frame, receivers.size());
    ledger_.begin(1, receivers, [&](RobotSlot to) { return parts_.link_between(sending.from, to); });
    for (const RobotSlot to : receivers) {
      const LinkSlot link = parts_.link_between(sending.from, to);
      ledger_.drop(PendingDelivery::of(sending.frame, link), DropReason::kCrossingFull);
    }
  }

  template <class Each>
  void each_crossing(std::size_t most, Each each) noexcept {
    for (AirRing* ring : from_) {
      for (std::size_t i = 0; i < most && ring->front() != nullptr; ++i) {
        ++taken_;
        each(*ring->front());
        ring->drop_front();
      }
    }
  }

  std::vector<AirRing*> to_;
  std::vector<AirRing*> from_;
  PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  std::uint64_t taken_ = 0;
};

}  // namespace hilgate

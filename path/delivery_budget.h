// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "frame/slab.h"
#include "path/air_delivery.h"
#include "path/hold/hold.h"
#include "path/hold/rate_queues.h"

namespace hilgate {

/// The limit that all queues but the parking share: twice PathSettings::hold_frames deliveries in hold, rate queues,
/// media and on the cable between access points together. Of these a sender may have in the hold what is left for
/// others, and hold_frames at most: however many fill theirs, as much is free as each of them has (A. K. Choudhury, E.
/// L. Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998). By the same rule it may have
/// four times what is left of frame memory that does not know whose its frames are.
class DeliveryBudget {
 public:
  /// The queues must outlive it.
  DeliveryBudget(std::size_t limit, const Hold& hold, const RateQueues& rates, const Slab<AirDelivery>& on_air)
      : limit_(limit), hold_(hold), rates_(rates), on_air_(on_air) {}

  [[nodiscard]] std::size_t used() const { return hold_.size() + on_air_.used() + rates_.size(); }
  /// For one more delivery of the link's sender.
  [[nodiscard]] bool full(LinkSlot link) const { return room(link) == 0; }
  /// For how many more deliveries of the link's sender there is room at least: what each of them takes of all, it takes
  /// of its sender's part, too.
  [[nodiscard]] std::size_t room(LinkSlot link) const {
    const std::size_t all = used();
    const std::size_t held = hold_.held_by_sender(link);
    if (all >= 2 * limit_ || held >= std::min({limit_, 2 * limit_ - all, share_of_memory_})) {
      return 0;
    }
    return std::min({limit_ - held, (2 * limit_ - all - held + 1) / 2, share_of_memory_ - held});
  }
  /// Once an iteration. Memory that knows whose its frames are has shares of its own; of other memory it counts what is
  /// left, now and then, because that takes as long as some frames.
  template <class Pool>
  void look_at(const Pool& pool, std::uint64_t iteration) noexcept {
    if constexpr (requires { pool.left(); }) {
      if (iteration % kIterationsPerCount == 0) {
        share_of_memory_ = kShareOfFree * pool.left();
      }
    }
  }

 private:
  static constexpr std::size_t kShareOfFree = 4;
  static constexpr std::uint64_t kIterationsPerCount = 16;

  const std::size_t limit_;
  std::size_t share_of_memory_ = std::numeric_limits<std::size_t>::max();
  const Hold& hold_;
  const RateQueues& rates_;
  const Slab<AirDelivery>& on_air_;
};

}  // namespace hilgate

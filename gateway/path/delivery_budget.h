// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "frame/slab.h"
#include "gateway/hold/hold.h"
#include "gateway/hold/rate_queues.h"
#include "gateway/path/air_delivery.h"

namespace hilgate {

/// The limit that all queues but the parking share: PathSettings::hold_frames deliveries in hold, rate queues, media
/// and on the cable between access points together.
class DeliveryBudget {
 public:
  /// The queues must outlive it.
  DeliveryBudget(std::size_t limit, const Hold& hold, const RateQueues& rates, const Slab<AirDelivery>& on_air)
      : limit_(limit), hold_(hold), rates_(rates), on_air_(on_air) {}

  [[nodiscard]] std::size_t used() const { return hold_.size() + on_air_.used() + rates_.size(); }
  [[nodiscard]] bool full() const { return used() >= limit_; }

 private:
  const std::size_t limit_;
  const Hold& hold_;
  const RateQueues& rates_;
  const Slab<AirDelivery>& on_air_;
};

}  // namespace hilgate

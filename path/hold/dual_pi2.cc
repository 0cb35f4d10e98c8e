// SPDX-License-Identifier: Apache-2.0
#include "path/hold/dual_pi2.h"

#include <algorithm>

namespace hilgate {
namespace {

// RFC 9332, A.1: for round-trip times of 100 ms at most.
constexpr double kIntegralGain = 0.16;     // 1/s: 0.1 T_UPDATE / RTT_MAX^2
constexpr double kProportionalGain = 3.2;  // 1/s: 0.3 / RTT_MAX
constexpr double kCoupling = 2;
constexpr double kMostClassic = 1 / (kCoupling * kCoupling);  // above it marks do not suffice
constexpr Nanoseconds kRampBegins{800'000};
constexpr Nanoseconds kRampLength{400'000};
// The scheduler's weights: a tenth is the classic line's while both wait, as in Linux' sch_dualpi2.
constexpr std::int64_t kClassicWeight = 10;
constexpr std::int64_t kScalableWeight = 90;

bool recurs(double& hits, double likelihood) {
  hits += likelihood;
  if (hits <= 1) {
    return false;
  }
  hits -= 1;
  return true;
}

double ramp(Nanoseconds waited) {
  return std::clamp(seconds_of(waited - kRampBegins) / seconds_of(kRampLength), 0.0, 1.0);
}

}  // namespace

void DualPi2::advance(const Slab<QueuedDelivery>& nodes, HostTime now) {
  if (!begun_) {
    begun_ = true;
    next_ = now + interval_;
  }
  for (; next_ <= now; next_ += interval_) {
    const double delay =
        classic_.empty() ? 0 : seconds_of(std::max(next_ - nodes[classic_.head].ready, Nanoseconds{0}));
    if (delay == 0 && delay_old_ == 0 && probability_ == 0) {  // further updates change nothing
      next_ += ((now - next_) / interval_) * interval_;
      continue;
    }
    probability_ = std::clamp(
        probability_ + kIntegralGain * (delay - seconds_of(target_)) + kProportionalGain * (delay - delay_old_), 0.0,
        1.0);
    delay_old_ = delay;
  }
}

bool DualPi2::turn_is_scalable() const {
  return classic_.empty() || (!scalable_.empty() && classic_share_ <= 0);
}

void DualPi2::pay(bool scalable, std::uint32_t bytes) {
  if (scalable && !classic_.empty()) {
    classic_share_ += kClassicWeight * bytes;
  } else if (!scalable && !scalable_.empty()) {
    classic_share_ -= kScalableWeight * bytes;
  }
}

// While no other one of its line waits, its own time on the wire is not congestion (RFC 9332, A.1, Th_len).
QueueVerdict DualPi2::judge_scalable(const QueuedDelivery& delivery, HostTime now) {
  const double coupled = kCoupling * probability_;
  if (coupled >= 1 && recurs(drop_hits_, probability_ * probability_)) {
    return QueueVerdict::kDrop;
  }
  const double native = scalable_.empty() ? 0 : ramp(now - delivery.ready);
  return recurs(scalable_hits_, std::min(std::max(native, coupled), 1.0)) ? QueueVerdict::kMark : QueueVerdict::kPass;
}

QueueVerdict DualPi2::judge_classic(const QueuedDelivery& delivery) {
  const double likelihood = probability_ * probability_;
  if (!recurs(classic_hits_, likelihood)) {
    return QueueVerdict::kPass;
  }
  return ecn_ && delivery.capable && likelihood < kMostClassic ? QueueVerdict::kMark : QueueVerdict::kDrop;
}

void DualPi2::take_over(const DualPi2& old) {
  const DeliveryLine scalable = scalable_;
  const DeliveryLine classic = classic_;
  *this = old;
  scalable_ = scalable;
  classic_ = classic;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "path/hold/pie.h"

#include <algorithm>
#include <array>

namespace hilgate {
namespace {

// RFC 8033, 4.2 and 5.
constexpr double kAlpha = 0.125;  // 1/s
constexpr double kBeta = 1.25;    // 1/s
constexpr Nanoseconds kMaxBurst{150'000'000};
constexpr double kMarkBelow = 0.1;              // above it, frames that are capable of ECN are dropped as others
constexpr std::uint64_t kTwoFrames = 2 * 1500;  // bytes that may always wait

// So that small probabilities change slowly.
double scale(double probability) {
  struct Step {
    double below, factor;
  };
  constexpr std::array<Step, 6> kSteps{
      {{1e-6, 1.0 / 2048}, {1e-5, 1.0 / 512}, {1e-4, 1.0 / 128}, {1e-3, 1.0 / 32}, {1e-2, 1.0 / 8}, {1e-1, 1.0 / 2}}};
  for (const Step& step : kSteps) {
    if (probability < step.below) {
      return step.factor;
    }
  }
  return 1;
}

}  // namespace

void Pie::update(double delay) {
  double change = scale(probability_) * (kAlpha * (delay - seconds_of(target_)) + kBeta * (delay - delay_old_));
  if (probability_ >= 0.1) {
    change = std::min(change, 0.02);  // RFC 8033, 5.5
  }
  probability_ += change;
  if (delay == 0 && delay_old_ == 0) {
    probability_ *= 0.98;
  }
  probability_ = std::clamp(probability_, 0.0, 1.0);
  const bool calm = probability_ == 0 && delay < seconds_of(target_) / 2 && delay_old_ < seconds_of(target_) / 2;
  burst_ = calm ? kMaxBurst : std::max(burst_ - interval_, Nanoseconds{0});
  delay_old_ = delay;
}

void Pie::advance(HostTime now, bool empty) {
  if (!begun_) {
    begun_ = true;
    next_ = now + interval_;
  }
  if (empty) {
    delay_ = 0;
  }
  while (next_ <= now) {
    update(delay_);
    if (probability_ == 0 && delay_ == 0 && delay_old_ == 0) {  // further ones change nothing
      next_ += ((now - next_) / interval_) * interval_;
    }
    next_ += interval_;
  }
}

bool Pie::hits() {
  if (probability_ == 0) {
    accumulated_ = 0;
  }
  accumulated_ += probability_;
  const bool hit = accumulated_ >= 8.5 || (accumulated_ >= 0.85 && random_.uniform() <= probability_);
  if (hit) {
    accumulated_ = 0;
  }
  return hit;
}

QueueVerdict Pie::judge(const QueueHead& head) {
  advance(head.now, head.left == 0);
  if (burst_ > Nanoseconds{0} || (delay_old_ < seconds_of(target_) / 2 && probability_ < 0.2) ||
      head.left <= kTwoFrames || !hits()) {
    return QueueVerdict::kPass;
  }
  return ecn_ && head.capable && probability_ < kMarkBelow ? QueueVerdict::kMark : QueueVerdict::kDrop;
}

void Pie::leaves(const QueueHead& head) {
  advance(head.now, false);
  delay_ = seconds_of(head.waited);
}

}  // namespace hilgate

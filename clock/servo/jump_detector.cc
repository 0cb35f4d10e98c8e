// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/jump_detector.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace hilgate {

JumpDetector::JumpDetector(const JumpOptions& options) : options_(options) {
  if (options.threshold <= Nanoseconds{0} || options.farthest < options.threshold || options.confirm < 2) {
    throw std::runtime_error(fmt::format(
        "clock: jump threshold {} ns, farthest step {} ns, confirmed by {} measurements; the threshold must be "
        "above 0, the farthest step at least the threshold, and the confirmations at least 2",
        options.threshold.count(), options.farthest.count(), options.confirm));
  }
}

JumpDetector::Verdict JumpDetector::judge(const ReferenceSample& sample, const WallLine& clock, Nanoseconds allowance,
                                          bool anything_goes) {
  const Nanoseconds off = std::chrono::abs(sample.wall - clock.at(sample.host));
  if (off <= options_.threshold + allowance) {
    suspects_.clear();
    return Verdict::kGood;
  }
  suspects_.push_back(sample);
  if (suspects_.size() > options_.confirm) {
    suspects_.pop_front();
  }
  if (suspects_.size() < options_.confirm || !suspects_agree(clock)) {
    return Verdict::kHeld;
  }
  return anything_goes || off <= options_.farthest ? Verdict::kJump : Verdict::kRefused;
}

bool JumpDetector::suspects_agree(const WallLine& clock) const {
  const auto offset = [&](const ReferenceSample& sample) { return sample.wall - clock.at(sample.host); };
  const auto [least, most] = std::minmax_element(suspects_.begin(), suspects_.end(),
                                                 [&](const auto& a, const auto& b) { return offset(a) < offset(b); });
  return offset(*most) - offset(*least) <= options_.threshold;
}

}  // namespace hilgate

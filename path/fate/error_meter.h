// SPDX-License-Identifier: Apache-2.0
// Bit errors by hazard skip: exact Bernoulli errors at the cost of one multiply and one compare per clean frame.
//
// A link keeps what is left of an Exp(1) hazard E. n bits at hazard h = -ln(1 - BER) use up n h. While E > n h the
// bits are clean; otherwise the error sits floor(E / h) bits in, and a new E is drawn. The exponential has no
// memory, so BER may change between any two bits and nothing needs to be redrawn.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>

#include "netsim_link/link_state.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

class ErrorMeter {
 public:
  ErrorMeter() = default;
  /// Starts a link's error process; `random` is consumed for the first hazard only.
  explicit ErrorMeter(FrameRandom random) : left_(random.exponential()) {}

  /// Uses up `bits`; true when none of them is in error. On false the meter is unchanged: walk it with
  /// next_error(), or call restart() when it does not matter where the errors are.
  bool clean(std::uint64_t bits, BitHazard hazard) {
    assert(bits > 0);
    const double used = static_cast<double>(bits) * hazard.per_bit;
    if (used < left_) {
      left_ -= used;
      return true;
    }
    return false;
  }

  /// Begins again after a bit whose error has already been accounted for.
  void restart(FrameRandom& random) { left_ = random.exponential(); }

  /// Looks for the next error among `bits`: its offset, or `bits` without one (then all are used up). After an error
  /// the meter is positioned after that bit.
  std::uint64_t next_error(std::uint64_t bits, BitHazard hazard, FrameRandom& random) {
    if (clean(bits, hazard)) {
      return bits;
    }
    // BER 1 has an infinite hazard: 0 / inf would be fine, but inf * 0 bits is not a number.
    const double at = std::isinf(hazard.per_bit) ? 0.0 : std::floor(left_ / hazard.per_bit);
    left_ = random.exponential();
    const auto offset = static_cast<std::uint64_t>(at);
    return offset < bits ? offset : bits - 1;  // rounding may put it one past the end
  }

 private:
  double left_ = 1.0;
};

}  // namespace hilgate

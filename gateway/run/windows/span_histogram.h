// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "clock/time.h"
#include "frame/duration_histogram.h"

namespace hilgate {

/// How long things took: last, largest, and quantiles that are at most 1/16 too large. Negative spans count as 0.
/// Fixed size, no allocation; for one thread.
class SpanHistogram {
 public:
  void record(Nanoseconds span) {
    last_ = std::max(span, Nanoseconds{0});
    max_ = std::max(max_, last_);
    spans_.add(last_);
  }

  [[nodiscard]] std::uint64_t count() const { return spans_.total(); }
  [[nodiscard]] Nanoseconds last() const { return last_; }
  [[nodiscard]] Nanoseconds max() const { return max_; }
  /// The span that a share `q`, in [0, 1], of all spans does not exceed; 0 without spans.
  [[nodiscard]] Nanoseconds quantile(double q) const { return std::min(max_, spans_.quantile(q)); }

 private:
  FineDurationHistogram spans_;
  Nanoseconds last_{0};
  Nanoseconds max_{0};
};

}  // namespace hilgate

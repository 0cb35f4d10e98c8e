// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "clock/time.h"

namespace hilgate {

/// How long things took: last, largest, and quantiles that are at most 1/16 too large. Negative spans count as 0.
/// Fixed size, no allocation; for one thread.
class SpanHistogram {
 public:
  void record(Nanoseconds span) {
    const std::uint64_t ns = span.count() > 0 ? static_cast<std::uint64_t>(span.count()) : 0;
    ++buckets_[bucket_of(ns)];
    ++count_;
    last_ = ns;
    max_ = std::max(max_, ns);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Nanoseconds last() const { return Nanoseconds{last_}; }
  [[nodiscard]] Nanoseconds max() const { return Nanoseconds{max_}; }
  /// The span that a share `q`, in [0, 1], of all spans does not exceed; 0 when there are none.
  [[nodiscard]] Nanoseconds quantile(double q) const {
    const auto wanted = static_cast<std::uint64_t>(q * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += buckets_[i];
      if (seen > 0 && seen >= wanted) {
        return Nanoseconds{std::min(max_, top_of(i))};
      }
    }
    return Nanoseconds{max_};
  }

 private:
  static constexpr unsigned kFineBits = 4;  // 16 buckets for each doubling
  static constexpr std::size_t kFine = std::size_t{1} << kFineBits;
  static constexpr std::size_t kBuckets = (64 - kFineBits + 1) * kFine;

  static constexpr std::size_t bucket_of(std::uint64_t ns) {
    if (ns < kFine) {
      return ns;
    }
    const unsigned shift = static_cast<unsigned>(std::bit_width(ns)) - 1 - kFineBits;
    return (shift + 1) * kFine + ((ns >> shift) & (kFine - 1));
  }
  static constexpr std::uint64_t top_of(std::size_t bucket) {
    if (bucket < kFine) {
      return bucket;
    }
    const std::size_t shift = bucket / kFine - 1;
    return (((kFine + bucket % kFine + 1) << shift)) - 1;
  }

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace hilgate

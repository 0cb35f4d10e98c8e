// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "clock/time.h"

namespace hilgate {

/// Counts of durations in buckets whose bounds grow by powers of two, each power divided into 2^kFineBits buckets of
/// equal width. Negative durations count as 0; the last bucket holds all that is longer than the others. Fixed size, no
/// allocation; for one thread.
template <unsigned kFineBits, std::size_t kBucketCount>
struct BinaryHistogram {
  static constexpr std::size_t kBuckets = kBucketCount;
  std::array<std::uint64_t, kBuckets> count{};

  void add(Nanoseconds duration, std::uint64_t times = 1) {
    const auto ns = static_cast<std::uint64_t>(duration.count() < 0 ? 0 : duration.count());
    count[std::min(bucket_of(ns), kBuckets - 1)] += times;
  }
  void add(const BinaryHistogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      count[i] += other.count[i];
    }
  }
  [[nodiscard]] std::uint64_t total() const { return std::accumulate(count.begin(), count.end(), std::uint64_t{0}); }
  /// Upper bound of the bucket in which the q-quantile lies, q in [0, 1]: all its durations are shorter. Zero when
  /// empty.
  [[nodiscard]] Nanoseconds quantile(double q) const {
    const auto wanted = static_cast<double>(total()) * q;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += count[i];
      if (seen > 0 && static_cast<double>(seen) >= wanted) {
        return end_of(i);
      }
    }
    return Nanoseconds{0};
  }

 private:
  static constexpr std::size_t kFine = std::size_t{1} << kFineBits;

  static constexpr std::size_t bucket_of(std::uint64_t ns) {
    if (ns < kFine) {
      return ns;
    }
    const unsigned shift = static_cast<unsigned>(std::bit_width(ns)) - 1 - kFineBits;
    return (shift + 1) * kFine + ((ns >> shift) & (kFine - 1));
  }
  // The first duration after a bucket, at most the longest possible.
  static constexpr Nanoseconds end_of(std::size_t bucket) {
    if (bucket < kFine) {
      return Nanoseconds{static_cast<std::int64_t>(bucket) + 1};
    }
    const std::uint64_t end = std::uint64_t{kFine + bucket % kFine + 1} << (bucket / kFine - 1);
    constexpr auto kLongest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return Nanoseconds{static_cast<std::int64_t>(std::min(end, kLongest))};
  }
};

/// By powers of two: bucket i holds [2^(i-1), 2^i) ns, bucket 0 those below 1 ns, the last everything from 4.5 minutes
/// up. Small enough to be copied in the packet loop.
using DurationHistogram = BinaryHistogram<0, 40>;

/// 16 buckets for each power of two, for all durations: quantiles are at most 1/16 too large.
using FineDurationHistogram = BinaryHistogram<4, std::size_t{63 - 4 + 1} * 16>;

}  // namespace hilgate

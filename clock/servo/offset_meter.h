// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "clock/time.h"

namespace hilgate {

struct OffsetSummary {
  std::size_t samples = 0;
  Nanoseconds last{0};
  Nanoseconds rms{0};
  Nanoseconds p99{0};   // of the absolute value
  Nanoseconds most{0};  // likewise
};

/// Remembers the last 512 offsets and sums them up. One thread.
class OffsetMeter {
 public:
  void add(Nanoseconds offset) {
    ring_[next_ % ring_.size()] = offset;
    ++next_;
  }
  void clear() { next_ = 0; }

  [[nodiscard]] OffsetSummary summary() const {
    OffsetSummary result;
    result.samples = std::min(next_, ring_.size());
    if (result.samples == 0) {
      return result;
    }
    std::array<std::int64_t, kKept> sizes{};
    double squares = 0;
    for (std::size_t i = 0; i < result.samples; ++i) {
      sizes[i] = std::abs(ring_[i].count());
      squares += static_cast<double>(sizes[i]) * static_cast<double>(sizes[i]);
    }
    std::sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(result.samples));
    result.last = ring_[(next_ - 1) % ring_.size()];
    result.rms = Nanoseconds{std::llround(std::sqrt(squares / static_cast<double>(result.samples)))};
    result.p99 = Nanoseconds{sizes[(result.samples * 99 + 99) / 100 - 1]};
    result.most = Nanoseconds{sizes[result.samples - 1]};
    return result;
  }

 private:
  static constexpr std::size_t kKept = 512;
  std::array<Nanoseconds, kKept> ring_{};
  std::size_t next_ = 0;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "clock/time.h"

namespace hilgate {

/// How far another gateway's clock is ahead of ours, from pairs of packets there and back (as NTP, RFC 5905, 8). Of the
/// last kPairs the one with the least time on the way counts: what waited in a queue says less.
class ClockComparison {
 public:
  static constexpr std::size_t kPairs = 16;

  /// Ours left at `sent` and was there at `there`; its packet left at `back` and is here at `here`.
  void add(WallTime sent, WallTime there, WallTime back, WallTime here) noexcept {
    const Nanoseconds on_way = (here - sent) - (back - there);
    if (on_way < Nanoseconds{0} || on_way > kLongest) {
      return;  // a clock was stepped in between, or somebody makes it up
    }
    pairs_[next_ % kPairs] = {(there - sent) / 2 + (back - here) / 2, on_way};
    ++next_;
  }
  void forget() noexcept { next_ = 0; }
  /// Nothing before the first pair.
  [[nodiscard]] std::optional<Nanoseconds> offset() const noexcept {
    const std::size_t count = next_ < kPairs ? next_ : kPairs;
    const Pair* best = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      best = best == nullptr || pairs_[i].on_way < best->on_way ? &pairs_[i] : best;
    }
    return best == nullptr ? std::nullopt : std::optional(best->offset);
  }

 private:
  static constexpr Nanoseconds kLongest{10'000'000'000};
  struct Pair {
    Nanoseconds offset{0};
    Nanoseconds on_way{0};
  };
  std::array<Pair, kPairs> pairs_{};
  std::size_t next_ = 0;
};

}  // namespace hilgate

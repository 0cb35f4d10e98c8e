// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "clock/time.h"

namespace hilgate {

/// How far another gateway's clock is ahead of ours, from pairs of packets there and back (as NTP, RFC 5905, 8). Of the
/// last kPairs the one with the least transit time counts, as packets that waited in a queue are less accurate. A pair
/// is wrong by half of its transit time at most: a contradiction means that a clock was stepped, and earlier pairs are
/// forgotten.
class ClockComparison {
 public:
  static constexpr std::size_t kPairs = 16;

  /// Ours left at `sent` and was there at `there`; its packet left at `back` and is here at `here`.
  void add(WallTime sent, WallTime there, WallTime back, WallTime here) noexcept {
    const Nanoseconds on_way = (here - sent) - (back - there);
    if (on_way < Nanoseconds{0} || on_way > kLongest) {
      return;  // a clock was stepped in between, or the packet is forged
    }
    const Pair pair{(there - sent) / 2 + (back - here) / 2, on_way};
    if (const Pair* known = best(); known != nullptr && contradict(pair, *known)) {
      forget();
    }
    pairs_[next_ % kPairs] = pair;
    ++next_;
  }
  void forget() noexcept { next_ = 0; }
  /// Nothing before the first pair.
  [[nodiscard]] std::optional<Nanoseconds> offset() const noexcept {
    const Pair* known = best();
    return known == nullptr ? std::nullopt : std::optional(known->offset);
  }

 private:
  static constexpr Nanoseconds kLongest{10'000'000'000};
  static constexpr Nanoseconds kSlewed{1'000'000};  // that clocks may have gone apart while pairs were gathered
  struct Pair {
    Nanoseconds offset{0};
    Nanoseconds on_way{0};
  };
  static bool contradict(const Pair& one, const Pair& other) noexcept {
    const Nanoseconds apart = one.offset < other.offset ? other.offset - one.offset : one.offset - other.offset;
    return apart > (one.on_way + other.on_way) / 2 + kSlewed;
  }
  [[nodiscard]] const Pair* best() const noexcept {
    const Pair* least = nullptr;
    for (std::size_t i = 0; i < std::min(next_, kPairs); ++i) {
      least = least == nullptr || pairs_[i].on_way < least->on_way ? &pairs_[i] : least;
    }
    return least;
  }

  std::array<Pair, kPairs> pairs_{};
  std::size_t next_ = 0;
};

}  // namespace hilgate

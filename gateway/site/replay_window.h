// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate {

/// Which sequence numbers of a peer have come, as of RFC 4303, 3.4.3: each is taken once, and none that is 64 or more
/// behind the newest. Numbers begin at 1.
class ReplayWindow {
 public:
  /// False: it has come before, or is too old.
  bool take(std::uint64_t sequence) noexcept {
    if (sequence == 0) {
      return false;
    }
    if (sequence > newest_) {
      const std::uint64_t step = sequence - newest_;
      seen_ = step >= 64 ? 0 : seen_ << step;
      seen_ |= 1;
      newest_ = sequence;
      ++taken_;
      return true;
    }
    const std::uint64_t behind = newest_ - sequence;
    const std::uint64_t bit = behind < 64 ? std::uint64_t{1} << behind : 0;
    if (bit == 0 || (seen_ & bit) != 0) {
      return false;
    }
    seen_ |= bit;
    ++taken_;
    return true;
  }
  /// Up to the newest, how many have not come, those that may still come among them. `first`: the one to count from.
  [[nodiscard]] std::uint64_t missing(std::uint64_t first) const noexcept {
    const std::uint64_t sent = newest_ < first ? 0 : newest_ - first + 1;
    return sent > taken_ ? sent - taken_ : 0;
  }
  [[nodiscard]] std::uint64_t newest() const noexcept { return newest_; }

 private:
  std::uint64_t newest_ = 0;
  std::uint64_t seen_ = 0;  // bit n: newest_ - n
  std::uint64_t taken_ = 0;
};

}  // namespace hilgate

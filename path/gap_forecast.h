// SPDX-License-Identifier: Apache-2.0
// Whether the next frame follows soon: by what followed after pauses like the last ones, as a processor predicts a
// branch from the branches before it (T.-Y. Yeh, Y. N. Patt, "Two-Level Adaptive Training Branch Prediction", 1991). A
// request and its answer alternate a short pause and a long one, which four pauses tell apart.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace hilgate {

/// Owned by one packet loop (idle_wait.h). "Soon" is what its owner can wait for without a sleep.
class GapForecast {
 public:
  /// Of the pause that begins now. True until experience shows otherwise.
  [[nodiscard]] bool soon() const noexcept { return trust_[recent_] >= kEnough; }
  /// The pause has ended: whether it was short, and whether the owner waited without a sleep first. A wait in vain
  /// takes the processor from others, and weighs more than a sleep that was short.
  void note(bool was_soon, bool waited) noexcept {
    std::uint8_t& trust = trust_[recent_];
    if (was_soon) {
      trust = static_cast<std::uint8_t>(std::min(trust + 1, kMost));
    } else {
      trust = static_cast<std::uint8_t>(std::max(trust - (waited ? kEnough : 1), 0));
    }
    recent_ = (2 * recent_ + (was_soon ? 1 : 0)) % trust_.size();
  }

 private:
  static constexpr std::size_t kPauses = 4;  // that a forecast goes by
  static constexpr int kMost = 7;
  static constexpr int kEnough = 4;

  static constexpr std::array<std::uint8_t, 1U << kPauses> trusting() {
    std::array<std::uint8_t, 1U << kPauses> trust{};
    trust.fill(kEnough);
    return trust;
  }

  std::array<std::uint8_t, 1U << kPauses> trust_ =
      trusting();  // by the last pauses, the latest in the lowest bit: 1 is short
  std::size_t recent_ = (1U << kPauses) - 1;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "clock/reference/reference_source.h"
#include "clock/servo/line_fit.h"

namespace hilgate {

struct JumpOptions {
  Nanoseconds threshold = std::chrono::microseconds{500};  // what slewing may correct; beyond is a jump
  Nanoseconds farthest = std::chrono::seconds{10};         // jumps beyond are refused: 37 s and 1970 are mistakes
  std::size_t confirm = 4;                                 // measurements that must agree before a jump is believed
};

/// The clock check: compares each measurement with the disciplined clock, which the reference cannot move. One
/// measurement far off is an outlier; several in a row that agree with one another are a jump.
class JumpDetector {
 public:
  enum class Verdict : std::uint8_t {
    kGood,
    kHeld,     // far off; not yet sure what it is
    kJump,     // the reference has jumped: suspects() are the measurements that show it
    kRefused,  // it has jumped too far to be believed
  };

  /// Throws std::runtime_error when an option is out of range.
  explicit JumpDetector(const JumpOptions& options);

  /// `allowance` is what the clock may have drifted in holdover; `anything_goes` admits a jump of any size.
  Verdict judge(const ReferenceSample& sample, const WallLine& clock, Nanoseconds allowance, bool anything_goes);

  /// The measurements since the last good one, oldest first; at most `confirm`.
  [[nodiscard]] const std::deque<ReferenceSample>& suspects() const { return suspects_; }
  void forget() { suspects_.clear(); }

 private:
  [[nodiscard]] bool suspects_agree(const WallLine& clock) const;

  JumpOptions options_;
  std::deque<ReferenceSample> suspects_;
};

}  // namespace hilgate

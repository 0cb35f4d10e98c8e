// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "clock/time.h"

namespace hilgate {

/// What can happen to a clock that is worth a line in the log. Each kind has a counter.
enum class ClockEventKind : std::uint8_t {
  kReferenceFound,      // the first time there was one
  kReferenceLost,       // holdover begins
  kReferenceReturned,   // holdover ends
  kGrandmasterChanged,  // another clock is now followed
  kOutlier,             // one measurement far from the others: not used
  kJump,                // the reference has jumped: held until it is sure
  kStep,                // the jump was followed, at a window boundary
  kJumpRefused,         // beyond farthest_step: the clock keeps its time
  kUtcOffsetChanged,    // TAI - UTC
  kLeapAnnounced,       // a leap second at the end of this UTC day
  kPortState,           // ptp4l's port
  kRogueMaster,         // a better master on a port where hilgate insists
  kYielded,             // a better master on a port where hilgate gives way
  kBecameMaster,        // hilgate serves time on a port
  kCount,
};

inline constexpr std::size_t kClockEventKinds = static_cast<std::size_t>(ClockEventKind::kCount);

inline constexpr std::array<std::string_view, kClockEventKinds> kClockEventNames = {
    "reference_found",
    "reference_lost",
    "reference_returned",
    "grandmaster_changed",
    "outlier",
    "jump",
    "step",
    "jump_refused",
    "utc_offset_changed",
    "leap_announced",
    "port_state",
    "rogue_master",
    "yielded",
    "became_master",
};

constexpr std::string_view name(ClockEventKind kind) {
  return kClockEventNames[static_cast<std::size_t>(kind)];
}

struct ClockEvent {
  HostTime at;
  ClockEventKind kind = ClockEventKind::kCount;
  std::string text;
};

/// The last events and how many there were of each kind. One thread.
class ClockEvents {
 public:
  void record(HostTime at, ClockEventKind kind, std::string text) {
    ++counts_[static_cast<std::size_t>(kind)];
    ++total_;
    recent_.push_back({at, kind, std::move(text)});
    if (recent_.size() > kKept) {
      recent_.pop_front();
    }
  }

  [[nodiscard]] std::uint64_t count(ClockEventKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// Oldest first, at most 64.
  [[nodiscard]] const std::deque<ClockEvent>& recent() const { return recent_; }

 private:
  static constexpr std::size_t kKept = 64;
  std::array<std::uint64_t, kClockEventKinds> counts_{};
  std::uint64_t total_ = 0;
  std::deque<ClockEvent> recent_;
};

}  // namespace hilgate

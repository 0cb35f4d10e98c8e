// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "clock/clock_events.h"
#include "clock/reference/reference_monitor.h"
#include "clock/reference/reference_source.h"
#include "clock/servo/line_fit.h"
#include "clock/servo/window_clock.h"
#include "clock/time.h"

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

struct DisciplineOptions {
  WindowClockOptions windows{};
  LineFitOptions fit{};
  JumpOptions jumps{};
  MonitorOptions monitor{};
};

/// Status of the clock, for people.
struct ClockStatus {
  std::string source;
  ReferenceState state = ReferenceState::kWaiting;
  std::string problem;  // of the source, empty when it has none
  std::optional<ClockIdentity> grandmaster;
  PtpPortState port_state = PtpPortState::kUnknown;
  std::optional<TimeProperties> properties;
  std::optional<Nanoseconds> path_delay;
  double rate_ppb = 0;             // of the disciplined clock against host time
  OffsetSummary offset;            // measurements against the disciplined clock: the servo's own error, and theirs
  Nanoseconds drift_allowance{0};  // in holdover
  WallTime wall{};                 // now
  std::uint64_t window = 0;        // now
  std::uint64_t malformed = 0;     // damaged messages ignored
};

/// A reference, the servo that follows it and the windows that stand on it. Belongs to the control thread, which calls
/// poll() every 20 to 100 ms; the packet loop reads windows().
class DisciplinedClock {
 public:
  /// `start` is where the clock stands until the reference speaks. Throws std::runtime_error for options out of range.
  DisciplinedClock(std::unique_ptr<ReferenceSource> source, const DisciplineOptions& options,
                   const ReferenceSample& start);

  /// Asks the reference and steers. `now` never goes back.
  void poll(HostTime now);

  [[nodiscard]] const WindowClock& windows() const { return windows_; }
  [[nodiscard]] ClockStatus status(HostTime now) const;
  /// False for a clock that follows nothing, by choice.
  [[nodiscard]] bool has_reference() const { return source_->has_reference(); }
  [[nodiscard]] const ClockEvents& events() const { return events_; }
  /// The measurement that the last poll() brought, if any, and how far the clock was ahead of it.
  [[nodiscard]] const std::optional<ReferenceSample>& last_sample() const { return reading_.sample; }
  [[nodiscard]] Nanoseconds last_offset() const { return last_offset_; }
  [[nodiscard]] const ReferenceReading& last_reading() const { return reading_; }

 private:
  void use(HostTime now, const ReferenceSample& sample);
  void follow_jump(HostTime now, Nanoseconds offset);
  void note_verdict(HostTime now, JumpDetector::Verdict verdict, Nanoseconds offset);

  std::unique_ptr<ReferenceSource> source_;
  ClockEvents events_;
  ReferenceMonitor monitor_;
  JumpDetector jumps_;
  LineFit fit_;
  WindowClock windows_;
  OffsetMeter offsets_;
  ReferenceReading reading_;
  Nanoseconds last_offset_{0};
  JumpDetector::Verdict last_verdict_ = JumpDetector::Verdict::kGood;
  bool ever_used_ = false;
};

}  // namespace hilgate

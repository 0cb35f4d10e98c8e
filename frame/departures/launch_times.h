// SPDX-License-Identifier: Apache-2.0
// Launch time: the device gets a frame before it is due, with the instant at which it shall leave, and keeps that more
// exactly than any processor. This decides whether a device is relied on, by the timestamps of frames that it has sent,
// how early it gets them, and which instants of its clock are written.
//
// Never early. A device is relied on after a trial: frames that are due now get an instant shortly after, and must
// leave at it. One that ignores it has sent no frame before it was due. What is written is the due instant by the
// device's clock, later by all that is not known about that clock, and rounded up. A device that sends before the
// instant, or nothing, or whose clock is stepped, is not relied on any more: then the packet loop keeps the
// instants, as on ports without launch time. Another trial follows after a pause, which is doubled each time.
//
// A device without timestamps is relied on where the user has chosen so, without a trial: nothing shows what it does
// but the steps of its clock, and its lead stays as it begins.
//
// A device sends in the order in which it is given frames. The hold gives them by their due instants, but what comes in
// for a link with a delay shorter than the lead may wait for frames that are due later, for as long as the lead.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "clock/hardware/clock_bridges.h"
#include "clock/time.h"

namespace hilgate {

/// From the clock of a port's timestamps to host time.
struct StampLine {
  DeviceLine::Line line{};
  Nanoseconds margin{0};  // how far the result may be from the packet loop's clock; none leaves early by less
  Nanoseconds drift{0};   // of this: how far the line may go off until the next one
  bool valid = false;
};

/// A line through readings of the clock that are `reading` off at most, each of them and the one before, with the drift
/// that they show (DeviceLine::drift(), which that error may hide twice). `host` is how far the packet loop's clock is
/// from the host's.
inline StampLine stamp_line(const DeviceLine::Line& line, Nanoseconds drift, Nanoseconds reading, Nanoseconds host) {
  return {.line = line, .margin = drift + 3 * reading + host, .drift = drift, .valid = true};
}

/// Why a device is not relied on.
enum class LaunchProblem : std::uint8_t {
  kNone,
  kClock,    // its clock cannot be read, or was stepped
  kEarly,    // frames left before the launch time
  kMissing,  // frames were not completed, or without timestamps
};

/// What became of it, since the port was made.
struct LaunchReport {
  bool used = false;
  Nanoseconds lead{0};        // how early the device gets frames now
  std::uint64_t late = 0;     // timestamped frames that left more than LaunchTimes::kLate after their launch time
  std::uint64_t early = 0;    // ... before they were due, by more than the clocks' margin
  std::uint64_t missing = 0;  // frames that were not completed, or without the timestamp that was requested
  LaunchProblem problem = LaunchProblem::kNone;

  /// The device offers launch time, and does not keep it.
  [[nodiscard]] bool failed() const { return problem != LaunchProblem::kNone && !used; }
  friend bool operator==(const LaunchReport&, const LaunchReport&) = default;
};

/// Of one port and its device. All calls but trust() from one thread, the packet loop; nothing allocates.
class LaunchTimes {
 public:
  using DeviceTime = DeviceLine::DeviceTime;

  static constexpr Nanoseconds kFirstLead{100'000};
  static constexpr Nanoseconds kLeastLead{50'000};
  static constexpr Nanoseconds kMostLead{500'000};
  static constexpr Nanoseconds kLeadStep{20'000};  // for a frame that is late though it was given in time
  static constexpr Nanoseconds kLeadDecay{1'000};  // after each kQuiet without
  static constexpr Nanoseconds kQuiet{1'000'000'000};
  static constexpr Nanoseconds kLate{5'000};
  static constexpr Nanoseconds kTrialAhead{200'000};   // of a trial's launch time, after the frame is given and due
  static constexpr std::uint32_t kTrials = 8;          // frames that must leave as they should
  static constexpr std::uint32_t kMostUnstamped = 64;  // in a row; NICs stamp few frames at a time
  static constexpr Nanoseconds kPatience{20'000'000};  // nothing is completed for so long
  static constexpr Nanoseconds kStep{50'000};          // between two lines: the clock was stepped. 500 ppm in 100 ms
  static constexpr Nanoseconds kImpossible{2'000};     // left before it was given, or after it came back, by more
  static constexpr std::uint32_t kSteadyLines = 16;    // measured one after the other before the clock is relied on
  static constexpr Nanoseconds kFirstPause{10'000'000'000};
  static constexpr Nanoseconds kLongestPause{640'000'000'000};

  /// A frame that came back from the device.
  struct Completion {
    DeviceTime launch{};             // what was written
    HostTime due{};                  // what it was written for
    HostTime given{};                // when the frame was given to the port
    bool asked = false;              // for a timestamp
    std::optional<DeviceTime> left;  // the timestamp
  };
  /// What is written for a frame.
  struct Launch {
    DeviceTime at{};
    HostTime leaves{};  // the same, but for what is not known about the clock
    bool must_stamp = false;
  };

  /// Before the first of the other calls: the device has no timestamps and is relied on without.
  void trust() { trusted_ = true; }
  /// The device's clock was measured again, about every 100 ms; `line` is invalid when it cannot be.
  void take_line(const StampLine& line, HostTime now);
  /// The device begins anew: nothing of what it was given comes back, and another trial is due.
  void begin();

  /// How long before they are due it requires its frames. Changes with take_line(), begin(), completed() and look().
  [[nodiscard]] Nanoseconds lead() const { return used_ ? lead_ : Nanoseconds{0}; }
  /// Whether for_frame() gives anything, so that `now` need not be read otherwise.
  [[nodiscard]] bool wants_frames() const { return used_ || trying_; }
  /// For a frame that is due at `due` and given to the device at `now`. Empty: without a launch time.
  [[nodiscard]] std::optional<Launch> for_frame(HostTime due, HostTime now) const;
  /// The device has been given it, right after that, and completed() will follow: of each that must be stamped, and of
  /// all or some of the others.
  void given(const Launch& launch);
  /// One of these came back.
  void completed(const Completion& frame, HostTime now);
  /// In each iteration: what did not come back, and how time goes on.
  void look(HostTime now);
  /// While it rests, the device keeps no instants; afterwards it is tried again.
  void rest(bool on, HostTime now);

  [[nodiscard]] LaunchReport report() const { return {used_, lead(), late_, early_, missing_, problem_}; }
  /// How far the device's clock may be from what its line shows.
  [[nodiscard]] Nanoseconds margin() const;

 private:
  void give_up(LaunchProblem problem, HostTime now);
  void judge(const Completion& frame, HostTime now);
  void note_late(const Completion& frame, HostTime now);

  StampLine line_{};
  std::array<Nanoseconds, 8> drifts_{};  // of the last lines
  std::uint32_t lines_ = 0;              // since the clock was stepped
  bool trusted_ = false;
  bool resting_ = false;
  bool used_ = false;
  bool trying_ = false;
  bool trial_away_ = false;  // its frame
  std::uint32_t passed_ = 0;
  Nanoseconds lead_ = kFirstLead;
  HostTime lead_since_{};
  HostTime quiet_since_{};
  std::uint32_t away_ = 0;               // frames with a launch time that the device has
  HostTime given_up_ = HostTime::min();  // frames that were given until then are not judged any more
  HostTime progress_{};                  // when it last showed any
  std::uint32_t unstamped_ = 0;
  HostTime pause_until_ = HostTime::min();
  Nanoseconds pause_ = kFirstPause;
  LaunchProblem problem_ = LaunchProblem::kNone;
  std::uint64_t late_ = 0;
  std::uint64_t early_ = 0;
  std::uint64_t missing_ = 0;
};

}  // namespace hilgate

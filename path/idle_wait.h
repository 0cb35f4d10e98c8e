// SPDX-License-Identifier: Apache-2.0
// What a packet loop does when there is nothing to do: it polls on for a while, and then sleeps in the kernel until a
// frame arrives, a release is near, another thread calls, or its heartbeat is due.
//
// How long it polls on: a sleep and a wake-up cost about 10 us of processor time, and up to 50 us until the thread runs
// again. Polling for kLinger after the last event costs at most that much again, and traffic of more than 20 000 frames
// a second never meets a sleeping loop. But a robot whose programs share the processor gets its frame only when the
// loop sleeps: it polls on where the next frame is expected within kLinger (GapForecast), and otherwise sleeps at
// once. Before a release the loop wakes early, by the 99th percentile of how late it woke before, and polls until the
// instant: so a release is as exact as that of a loop that never sleeps.
#pragma once

#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "host/loop_waker.h"

namespace hilgate {

/// Whether the next frame follows soon: by what followed after pauses like the last ones, as a processor predicts a
/// branch from the branches before it (T.-Y. Yeh, Y. N. Patt, "Two-Level Adaptive Training Branch Prediction", 1991). A
/// request and its answer alternate a short pause and a long one, which four pauses tell apart. "Soon" is what its
/// owner can wait for without a sleep.
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

/// A thread that does not run for longer, though it has something to do, is not given its processor.
inline constexpr Nanoseconds kStall{1'000'000};

enum class IdleMode : std::uint8_t { kSleep, kPoll };

struct IdleSettings {
  IdleMode mode = IdleMode::kPoll;
  Nanoseconds longest{10'000'000};  // a sleep; after that the loop iterates once, and its heartbeat is seen
};

/// How a packet loop has spent its idle time since the start.
struct IdleReport {
  IdleMode mode = IdleMode::kPoll;
  std::uint64_t sleeps = 0;
  Nanoseconds asleep{0};
  Nanoseconds woken_early{0};  // what it now allows for waking up before a release
  Nanoseconds overslept{0};    // of sleeps that ended later than kStall after their time
};

/// Owned by one packet loop, whose thread calls all but waker() and report(); those are for any thread.
class IdleWait {
 public:
  static constexpr Nanoseconds kLinger{50'000};
  // Frames that the kernel has not taken yet, or memory that a port lacks: both end by themselves, unannounced.
  static constexpr Nanoseconds kUnfinishedLinger{2'000'000};
  static constexpr Nanoseconds kUnfinishedNap{200'000};
  // Ports that cannot wake anybody are looked at this often, the less the longer nothing came.
  static constexpr Nanoseconds kLeastNap{50'000};
  static constexpr Nanoseconds kMostNap{500'000};
  static constexpr int kNapShare = 8;

  explicit IdleWait(const IdleSettings& settings) : settings_(settings) { watched_.reserve(kMostWatched); }

  /// On the loop's thread, before its first iteration: sleeps are to end when they should.
  void enter_thread() noexcept;

  /// After each iteration. Sleeps if nothing is to be done; `asked()` is whether another thread waits for the loop.
  /// `Path` is a FramePath (frame_path.h, next_due()), `Clock` a PathReader.
  template <class Path, class Clock, class Asked>
  void after_iteration(Path& path, Clock& clock, Asked asked) noexcept {
    if (settings_.mode == IdleMode::kPoll) {
      return;
    }
    if (const std::uint64_t activity = path.activity(); activity != activity_) {
      activity_ = activity;
      if (quiet_) {
        quiet_ = false;
        forecast_.note(clock.host() - quiet_since_ <= kLinger, linger_ > Nanoseconds{0});
      }
      disarm(path);
      return;
    }
    const HostTime now = clock.host();
    if (!quiet_) {
      quiet_ = true;
      quiet_since_ = now;
      linger_ = forecast_.soon() ? kLinger : Nanoseconds{0};
      return;
    }
    const bool unfinished = path.ports_unfinished();
    if (now - quiet_since_ < (unfinished ? kUnfinishedLinger : linger_)) {
      return;
    }
    const HostTime until = wake_at(path, clock, now, unfinished);
    if (until - now < kLeastSleep) {
      return;
    }
    if (!armed_) {
      armed_ = true;
      if (path.arm_arrivals()) {
        return;  // arrivals until now wake no loop
      }
    }
    waker_.announce();
    if (!asked() && !path.has_input()) {
      watch(path);
      sleep(until - now);
      note(now, until, clock.host());
      path.note_sleep(clock.now());
      disarm(path);
    }
    waker_.withdraw();
  }

  [[nodiscard]] LoopWaker& waker() { return waker_; }
  [[nodiscard]] IdleReport report() const {
    return {settings_.mode, sleeps_.get(), Nanoseconds{static_cast<std::int64_t>(asleep_ns_.get())},
            Nanoseconds{early_ns_.load(std::memory_order_relaxed)},
            Nanoseconds{static_cast<std::int64_t>(overslept_ns_.get())}};
  }

 private:
  static constexpr std::size_t kMostWatched = 1024;  // sockets of one loop; with more, it polls all periodically
  static constexpr Nanoseconds kLeastSleep{20'000};  // a shorter one costs more than it saves
  // How early to wake: goes up by 99 steps when that was too late, and down by one when it was not, which ends at the
  // 99th percentile of the lateness.
  static constexpr Nanoseconds kEarlyStep{100};
  static constexpr Nanoseconds kLeastEarly{10'000};
  static constexpr Nanoseconds kMostEarly{100'000};

  template <class Path, class Clock>
  [[nodiscard]] HostTime wake_at(Path& path, Clock& clock, HostTime now, bool unfinished) noexcept {
    Nanoseconds longest = unfinished ? std::min(settings_.longest, kUnfinishedNap) : settings_.longest;
    if (!path.arrivals_wake() || watched_.size() == watched_.capacity()) {
      longest = std::min(longest, std::clamp<Nanoseconds>((now - quiet_since_) / kNapShare, kLeastNap, kMostNap));
    }
    const HostTime due = clock.host_at(path.next_due());
    return std::min(now + longest, due == HostTime::max() ? due : due - early_);
  }

  template <class Path>
  void watch(Path& path) noexcept {
    watched_.clear();
    watched_.push_back({.fd = waker_.fd(), .events = POLLIN, .revents = 0});
    path.each_arrival_fd([this](int descriptor) {
      if (watched_.size() < watched_.capacity()) {
        watched_.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
      }
    });
  }
  template <class Path>
  void disarm(Path& path) noexcept {
    if (armed_) {
      armed_ = false;
      path.disarm_arrivals();
    }
  }
  void sleep(Nanoseconds length) noexcept;
  void note(HostTime from, HostTime until, HostTime woke) noexcept;

  IdleSettings settings_;
  LoopWaker waker_;
  std::vector<pollfd> watched_;  // capacity reserved
  std::uint64_t activity_ = 0;
  bool quiet_ = false;
  bool armed_ = false;  // the path's arrivals
  HostTime quiet_since_{};
  Nanoseconds linger_{0};  // of the present pause
  GapForecast forecast_;
  bool timed_out_ = false;  // the last sleep ended by its time
  Nanoseconds early_{50'000};
  std::atomic<std::int64_t> early_ns_{0};  // early_, for report()
  Counter sleeps_, asleep_ns_, overslept_ns_;
};

}  // namespace hilgate

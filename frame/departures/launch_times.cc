// SPDX-License-Identifier: Apache-2.0
#include "frame/departures/launch_times.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hilgate {

void LaunchTimes::take_line(const StampLine& line, HostTime now) {
  const StampLine before = std::exchange(line_, line);
  if (!line.valid) {
    lines_ = 0;
    if (before.valid || problem_ == LaunchProblem::kNone) {
      give_up(LaunchProblem::kClock, now);
    }
    return;
  }
  if (before.valid && std::chrono::abs(now - before.line.at(line.line.when(now))) > kStep) {
    lines_ = 0;
    drifts_.fill(Nanoseconds{0});
    return give_up(LaunchProblem::kClock, now);
  }
  drifts_[lines_ % drifts_.size()] = line.drift;
  ++lines_;
}

void LaunchTimes::begin() {
  used_ = trying_ = trial_away_ = false;
  away_ = 0;
  unstamped_ = 0;
  problem_ = LaunchProblem::kNone;
  pause_ = kFirstPause;
  pause_until_ = HostTime::min();
}

// A rate that was the same for the last lines is assumed to be that until the next one.
Nanoseconds LaunchTimes::margin() const {
  return line_.margin - line_.drift + *std::ranges::max_element(drifts_);
}

std::optional<LaunchTimes::Launch> LaunchTimes::for_frame(HostTime due, HostTime now) const {
  if (used_) {
    if (due <= now) {
      return std::nullopt;
    }
    return Launch{.at = line_.line.when(due + margin()), .leaves = due};
  }
  if (!trying_ || trial_away_) {
    return std::nullopt;
  }
  const HostTime later = std::max(due, now) + kTrialAhead;
  return Launch{.at = line_.line.when(later + margin()), .leaves = later, .must_stamp = true};
}

void LaunchTimes::given(const Launch& launch) {
  progress_ = away_++ == 0 ? launch.leaves : progress_;
  trial_away_ |= launch.must_stamp;
}

void LaunchTimes::completed(const Completion& frame, HostTime now) {
  if (frame.given <= given_up_ || away_ == 0) {
    return;
  }
  --away_;
  progress_ = now;
  trial_away_ = false;
  if (frame.asked && frame.left) {
    unstamped_ = 0;
    judge(frame, now);
  } else if (frame.asked) {
    ++missing_;
    if (++unstamped_ >= kMostUnstamped) {
      give_up(LaunchProblem::kMissing, now);
    }
  }
}

void LaunchTimes::judge(const Completion& frame, HostTime now) {
  if (!wants_frames()) {
    return;
  }
  const HostTime left = line_.line.at(*frame.left);
  const Nanoseconds margin = this->margin();
  if (left < frame.given - margin - kImpossible || left > now + margin + kImpossible) {
    lines_ = 0;
    return give_up(LaunchProblem::kClock, now);
  }
  early_ += left < frame.due - margin ? 1 : 0;
  if (*frame.left < frame.launch - margin) {
    return give_up(LaunchProblem::kEarly, now);
  }
  if (*frame.left > frame.launch + kLate) {
    note_late(frame, now);
  }
  if (trying_ && ++passed_ == kTrials) {
    trying_ = false;
    used_ = true;
    problem_ = LaunchProblem::kNone;
    lead_since_ = quiet_since_ = now;
  }
}

// A frame that came in shortly before it was due is late whatever the lead, and so is one that was given before the
// lead grew.
void LaunchTimes::note_late(const Completion& frame, HostTime now) {
  ++late_;
  if (used_ && frame.given >= lead_since_ && frame.due - frame.given >= lead_ / 2) {
    lead_ = std::min(lead_ + kLeadStep, kMostLead);
    lead_since_ = quiet_since_ = now;
  }
}

void LaunchTimes::look(HostTime now) {
  if (away_ > 0 && now - progress_ > kPatience) {
    missing_ += away_;
    return give_up(LaunchProblem::kMissing, now);
  }
  if (used_ && !trusted_ && now - quiet_since_ >= kQuiet) {
    lead_ = std::max(lead_ - kLeadDecay, kLeastLead);
    quiet_since_ = now;
  }
  if (!resting_ && !wants_frames() && line_.valid && lines_ >= kSteadyLines && now >= pause_until_) {
    used_ = trusted_;
    trying_ = !trusted_;
    problem_ = trusted_ ? LaunchProblem::kNone : problem_;
    passed_ = 0;
    unstamped_ = 0;
  }
}

void LaunchTimes::rest(bool on, HostTime now) {
  if (on && !resting_) {
    give_up(LaunchProblem::kNone, now);
    begin();
  }
  resting_ = on;
}

// A clock that was stepped is relied on when it has been steady for a while, without a further pause.
void LaunchTimes::give_up(LaunchProblem problem, HostTime now) {
  if (problem != LaunchProblem::kClock) {
    pause_until_ = now + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
  }
  used_ = trying_ = trial_away_ = false;
  away_ = 0;
  given_up_ = now;
  problem_ = problem;
}

}  // namespace hilgate

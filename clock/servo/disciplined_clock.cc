// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/disciplined_clock.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace hilgate {

JumpDetector::JumpDetector(const JumpOptions& options) : options_(options) {
  if (options.threshold <= Nanoseconds{0} || options.farthest < options.threshold || options.confirm < 2) {
    throw std::runtime_error(fmt::format(
        "clock: jump threshold {} ns, farthest step {} ns, confirmed by {} measurements; the threshold must be "
        "above 0, the farthest step at least the threshold, and the confirmations at least 2",
        options.threshold.count(), options.farthest.count(), options.confirm));
  }
}

JumpDetector::Verdict JumpDetector::judge(const ReferenceSample& sample, const WallLine& clock, Nanoseconds allowance,
                                          bool anything_goes) {
  const Nanoseconds off = std::chrono::abs(sample.wall - clock.at(sample.host));
  if (off <= options_.threshold + allowance) {
    suspects_.clear();
    return Verdict::kGood;
  }
  suspects_.push_back(sample);
  if (suspects_.size() > options_.confirm) {
    suspects_.pop_front();
  }
  if (suspects_.size() < options_.confirm || !suspects_agree(clock)) {
    return Verdict::kHeld;
  }
  return anything_goes || off <= options_.farthest ? Verdict::kJump : Verdict::kRefused;
}

bool JumpDetector::suspects_agree(const WallLine& clock) const {
  const auto offset = [&](const ReferenceSample& sample) { return sample.wall - clock.at(sample.host); };
  const auto [least, most] = std::minmax_element(suspects_.begin(), suspects_.end(),
                                                 [&](const auto& a, const auto& b) { return offset(a) < offset(b); });
  return offset(*most) - offset(*least) <= options_.threshold;
}

DisciplinedClock::DisciplinedClock(std::unique_ptr<ReferenceSource> source, const DisciplineOptions& options,
                                   const ReferenceSample& start)
    : source_(std::move(source)),
      monitor_(options.monitor, source_->has_reference(), events_),
      jumps_(options.jumps),
      fit_(options.fit),
      windows_(options.windows, start) {}

void DisciplinedClock::poll(HostTime now) {
  const Nanoseconds allowance = monitor_.drift_allowance(now);
  reading_ = source_->read();
  // Instants before 1970 have no meaning on the PTP timescale, and differences to them might not fit.
  if (reading_.sample && reading_.sample->wall < WallTime{}) {
    reading_.sample.reset();
    reading_.problem = "the reference gives a time before 1970";
  }
  monitor_.update(now, reading_);
  if (reading_.sample && !windows_.is_stepping(now)) {
    const ReferenceSample& sample = *reading_.sample;
    last_offset_ = windows_.plan().wall(sample.host) - sample.wall;
    const auto verdict = jumps_.judge(sample, windows_.plan().line_at(sample.host), allowance, !ever_used_);
    note_verdict(now, verdict, last_offset_);
    if (verdict == JumpDetector::Verdict::kGood) {
      use(now, sample);
    } else if (verdict == JumpDetector::Verdict::kJump) {
      follow_jump(now, last_offset_);
    }
  }
  // Also in holdover: the correction that was under way must end, and the rate stays as last measured.
  if (const auto line = fit_.line()) {
    windows_.steer(now, *line);
  }
}

void DisciplinedClock::use(HostTime, const ReferenceSample& sample) {
  ever_used_ = true;
  offsets_.add(last_offset_);
  fit_.add(sample);
}

void DisciplinedClock::follow_jump(HostTime now, Nanoseconds offset) {
  fit_.restart();
  for (const ReferenceSample& suspect : jumps_.suspects()) {
    fit_.add(suspect);
  }
  jumps_.forget();
  offsets_.clear();
  windows_.step(now, *fit_.line());
  const HostTime at = windows_.plan().switch_at;
  events_.record(now, ClockEventKind::kStep,
                 fmt::format("{} by {:+.9f} s at the window boundary in {:.3f} ms",
                             ever_used_ ? "step to the reference" : "start following the reference",
                             -seconds_of(offset), 1e3 * seconds_of(at - now)));
  ever_used_ = true;
}

void DisciplinedClock::note_verdict(HostTime now, JumpDetector::Verdict verdict, Nanoseconds offset) {
  using Verdict = JumpDetector::Verdict;
  if (verdict == Verdict::kGood && last_verdict_ == Verdict::kHeld) {
    events_.record(now, ClockEventKind::kOutlier, "the outlying measurements ended");
  }
  if (verdict == Verdict::kHeld && last_verdict_ == Verdict::kGood && ever_used_) {
    events_.record(now, ClockEventKind::kJump,
                   fmt::format("the reference jumped by {:+.9f} s: the clock keeps its time until this is confirmed",
                               -seconds_of(offset)));
  }
  if (verdict == Verdict::kRefused && last_verdict_ != Verdict::kRefused) {
    events_.record(now, ClockEventKind::kJumpRefused,
                   fmt::format("the reference stays {:+.9f} s off, more than farthest_step; hilgate keeps its "
                               "own time until the reference returns or hilgate is restarted",
                               -seconds_of(offset)));
  }
  // While jumps are refused, single disagreeing measurements change nothing.
  last_verdict_ = verdict == Verdict::kHeld && last_verdict_ == Verdict::kRefused ? Verdict::kRefused : verdict;
}

ClockStatus DisciplinedClock::status(HostTime now) const {
  const WindowPlan plan = windows_.plan();
  ClockStatus status;
  status.source = source_->describe();
  status.state = monitor_.state();
  status.problem = reading_.problem;
  status.grandmaster = reading_.grandmaster;
  status.port_state = reading_.port_state;
  status.properties = reading_.properties;
  status.path_delay = reading_.path_delay;
  status.rate_ppb = (plan.line_at(now).rate.factor() - 1) * 1e9;
  status.offset = offsets_.summary();
  status.drift_allowance = monitor_.drift_allowance(now);
  status.wall = plan.wall(now);
  status.window = plan.window(now);
  status.malformed = reading_.malformed;
  return status;
}

}  // namespace hilgate

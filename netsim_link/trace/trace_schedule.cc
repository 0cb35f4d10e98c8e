// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/trace_schedule.h"

#include <algorithm>
#include <cmath>

namespace hilgate {
namespace {

Nanoseconds at_speed(Nanoseconds span, double speed) {
  return Nanoseconds{std::llround(static_cast<double>(span.count()) / speed)};
}

double between(double from, double to, double share) {
  return from + (to - from) * share;
}

Nanoseconds between(Nanoseconds from, Nanoseconds to, double share) {
  return Nanoseconds{std::llround(between(static_cast<double>(from.count()), static_cast<double>(to.count()), share))};
}

}  // namespace

TraceSchedule::TraceSchedule(const Trace& trace, const TracePlay& play)
    : entries_(trace.entries),
      opportunities_(trace.opportunities),
      length_(std::max(at_speed(trace.length, play.speed), Nanoseconds{1})),
      offset_(at_speed(play.offset, play.speed)),
      end_(play.end),
      linear_(play.linear),
      has_rate_(trace.has_rate),
      has_delay_(trace.has_delay),
      has_loss_(trace.has_loss),
      has_sinr_(trace.has_sinr),
      has_cqi_(trace.has_cqi) {
  for (TraceEntry& entry : entries_) {
    entry.at = at_speed(entry.at, play.speed);
  }
  for (Nanoseconds& opportunity : opportunities_) {
    opportunity = at_speed(opportunity, play.speed);
  }
  bits_before_.reserve(entries_.size() + 1);
  bits_before_.push_back(0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    bits_before_.push_back(bits_before_.back() + bits_within(i, seconds_of(end_of(i) - entries_[i].at)));
  }
}

TraceSchedule::Place TraceSchedule::place_of(Nanoseconds since_start) const {
  const Nanoseconds at = std::max(since_start, Nanoseconds{0}) + offset_;
  return end_ == TraceEnd::kLoop ? Place{at / length_, at % length_} : Place{0, at};
}

Nanoseconds TraceSchedule::since_start(std::int64_t round, Nanoseconds at) const {
  return round * length_ + at - offset_;
}

// The last one that has begun.
std::uint32_t TraceSchedule::entry_at(Nanoseconds at, std::uint32_t& hint) const {
  const auto begins_by = [&](std::size_t entry) { return entry < entries_.size() && entries_[entry].at <= at; };
  if (begins_by(hint) && !begins_by(hint + 1)) {
    return hint;
  }
  if (begins_by(hint + 1) && !begins_by(hint + 2)) {
    return ++hint;
  }
  const auto after = std::upper_bound(entries_.begin() + 1, entries_.end(), at,
                                      [](Nanoseconds instant, const TraceEntry& entry) { return instant < entry.at; });
  return hint = static_cast<std::uint32_t>(after - entries_.begin() - 1);
}

Nanoseconds TraceSchedule::end_of(std::size_t entry) const {
  return entry + 1 < entries_.size() ? entries_[entry + 1].at : std::max(length_, entries_[entry].at);
}

double TraceSchedule::rate_at_end(std::size_t entry) const {
  return linear_ && entry + 1 < entries_.size() ? entries_[entry + 1].bits_per_second : entries_[entry].bits_per_second;
}

// The rate goes in a straight line from the entry's own to rate_at_end().
double TraceSchedule::bits_within(std::size_t entry, double time) const {
  const double rate = entries_[entry].bits_per_second;
  const double whole = seconds_of(end_of(entry) - entries_[entry].at);
  return whole > 0 ? time * (rate + (rate_at_end(entry) - rate) * time / whole / 2) : 0;
}

// The other way round: the root of rate x + slope x^2 / 2 = bits, in the form that loses no digits.
double TraceSchedule::seconds_for(std::size_t entry, double bits) const {
  const double rate = entries_[entry].bits_per_second;
  const double whole = seconds_of(end_of(entry) - entries_[entry].at);
  const double slope = whole > 0 ? (rate_at_end(entry) - rate) / whole : 0;
  const double divisor = rate + std::sqrt(std::max(0.0, rate * rate + 2 * slope * bits));
  return divisor > 0 ? std::min(2 * bits / divisor, whole) : whole;
}

TraceEntry TraceSchedule::at(Nanoseconds since_start, std::uint32_t& hint) const {
  const Place place = place_of(since_start);
  if (entries_.empty() || (place.at >= length_ && end_ == TraceEnd::kClear)) {
    return {};
  }
  const std::uint32_t index = entry_at(place.at, hint);
  TraceEntry entry = entries_[index];
  if (linear_ && index + 1 < entries_.size()) {
    const TraceEntry& next = entries_[index + 1];
    const double share = seconds_of(place.at - entry.at) / seconds_of(next.at - entry.at);
    entry.bits_per_second = between(entry.bits_per_second, next.bits_per_second, share);
    entry.delay = between(entry.delay, next.delay, share);
    entry.jitter = between(entry.jitter, next.jitter, share);
    entry.loss = between(entry.loss, next.loss, share);
    entry.sinr_db = between(entry.sinr_db, next.sinr_db, share);
    entry.duplicate = between(entry.duplicate, next.duplicate, share);
  }
  return entry;
}

Nanoseconds TraceSchedule::sent(Nanoseconds begin, double bits, std::uint32_t& hint) const {
  begin = std::max(begin, Nanoseconds{0});
  const Place place = place_of(begin);
  const double all = bits_before_.back();
  if (place.at >= length_) {  // over
    const double rate = entries_.back().bits_per_second;
    return end_ == TraceEnd::kClear ? begin : rate > 0 ? begin + Nanoseconds{std::llround(bits / rate * 1e9)} : kNever;
  }
  const std::uint32_t entry = entry_at(place.at, hint);
  const double target = bits_before_[entry] + bits_within(entry, seconds_of(place.at - entries_[entry].at)) + bits;
  if (target <= all) {
    return std::max(begin, sent_within(place.round, target));
  }
  if (end_ == TraceEnd::kLoop) {
    if (all <= 0) {
      return kNever;
    }
    const double rounds = std::ceil(target / all) - 1;
    // Limited to the range of instants: 292 years.
    return rounds * seconds_of(length_) > 9e9
               ? kNever
               : sent_within(place.round + static_cast<std::int64_t>(rounds), std::max(0.0, target - rounds * all));
  }
  const Nanoseconds over = since_start(0, length_);
  const double rate = entries_.back().bits_per_second;
  return end_ == TraceEnd::kClear ? over
         : rate > 0               ? over + Nanoseconds{std::llround((target - all) / rate * 1e9)}
                                  : kNever;
}

// `bits`: from the beginning of the round, at most what is sent in one. At the end of an entry, not after those of
// rate 0 that follow.
Nanoseconds TraceSchedule::sent_within(std::int64_t round, double bits) const {
  const auto reached = std::lower_bound(bits_before_.begin() + 1, bits_before_.end(), bits);
  const std::size_t entry = std::min(static_cast<std::size_t>(reached - bits_before_.begin()), entries_.size()) - 1;
  const double time = seconds_for(entry, bits - bits_before_[entry]);
  return since_start(round, entries_[entry].at + Nanoseconds{std::llround(time * 1e9)});
}

std::uint64_t TraceSchedule::first_after(Nanoseconds instant) const {
  const Place place = place_of(instant);
  const auto after = std::upper_bound(opportunities_.begin(), opportunities_.end(), place.at);
  if (after == opportunities_.end() && end_ != TraceEnd::kLoop) {
    return kNoOpportunity;
  }
  return static_cast<std::uint64_t>(place.round) * opportunities_.size() +
         static_cast<std::uint64_t>(after - opportunities_.begin());
}

Nanoseconds TraceSchedule::opportunity(std::uint64_t number) const {
  const std::uint64_t round = number / opportunities_.size();
  if (number == kNoOpportunity || (round > 0 && end_ != TraceEnd::kLoop)) {
    return kNever;
  }
  return since_start(static_cast<std::int64_t>(round), opportunities_[number % opportunities_.size()]);
}

Nanoseconds TraceSchedule::clear_from() const {
  return end_ == TraceEnd::kClear ? since_start(0, length_) : kNever;
}

}  // namespace hilgate

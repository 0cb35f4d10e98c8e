// SPDX-License-Identifier: Apache-2.0
// A trace as it is played: what holds at any instant of a run, and when what is sent has been sent.
//
// The rate is integrated: a frame that begins at t0 has been sent when the rate since then, over all steps that begin
// meanwhile, adds up to its bits. Delivery opportunities are Mahimahi's (LinkQueue::rationalize, src/frontend/
// link_queue.cc): at each instant of the file kOpportunityBytes are taken from the queue, a frame leaves when its last
// byte is taken, a frame uses opportunities after its arrival alone, and what finds the queue empty is lost.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "clock/time.h"
#include "netsim_link/trace/trace.h"

namespace hilgate {

enum class TraceEnd : std::uint8_t {
  kLoop,   // again from its beginning
  kHold,   // the last entry holds; no further opportunity
  kClear,  // as if there were no trace
};

/// How a trace is played.
struct TracePlay {
  TraceEnd end = TraceEnd::kLoop;
  bool linear = false;    // from entry to entry in straight lines, but for a CQI; else in steps
  Nanoseconds offset{0};  // of the trace that are over when the run starts; not negative
  double speed = 1;       // above 0; 2: every entry holds for half of its time
};

/// Immutable; any thread. Times are since the start of the run; what is before counts as the start.
class TraceSchedule {
 public:
  /// Later than any instant: never.
  static constexpr Nanoseconds kNever = Nanoseconds::max();
  static constexpr std::uint64_t kNoOpportunity = std::numeric_limits<std::uint64_t>::max();

  TraceSchedule(const Trace& trace, const TracePlay& play);

  /// What holds at `since_start`. `hint`: where the last question was answered, which makes it cheap to ask for the
  /// next.
  [[nodiscard]] TraceEntry at(Nanoseconds since_start, std::uint32_t& hint) const;

  /// Whether frames wait for one another.
  [[nodiscard]] bool has_rate() const { return has_rate_; }
  /// Whether it drives the modes of a radio, by an SINR or by a CQI.
  [[nodiscard]] bool drives_radio() const { return has_sinr_ || has_cqi_; }
  [[nodiscard]] bool has_cqi() const { return has_cqi_; }
  /// Whether frames meet something of it besides what a radio decides.
  [[nodiscard]] bool changes_frames() const { return has_rate_ || has_delay_ || has_loss_; }
  [[nodiscard]] bool has_opportunities() const { return !opportunities_.empty(); }

  /// When so many bits have been sent from `begin` on; kNever.
  [[nodiscard]] Nanoseconds sent(Nanoseconds begin, double bits, std::uint32_t& hint) const;

  [[nodiscard]] const std::vector<TraceEntry>& entries() const { return entries_; }
  /// Of the opportunities, where there are some: bit/s over the length of the trace.
  [[nodiscard]] double mean_rate() const {
    return 8e9 * kOpportunityBytes * static_cast<double>(opportunities_.size()) / static_cast<double>(length_.count());
  }

  /// Opportunities have numbers from 0 on, over all repetitions. The first one after `instant`; kNoOpportunity.
  [[nodiscard]] std::uint64_t first_after(Nanoseconds instant) const;
  /// When an opportunity is; kNever where there are not so many.
  [[nodiscard]] Nanoseconds opportunity(std::uint64_t number) const;
  /// From when on the trace is over and clear, so that nothing waits; kNever.
  [[nodiscard]] Nanoseconds clear_from() const;

 private:
  struct Place {
    std::int64_t round = 0;
    Nanoseconds at{0};  // in the round; beyond its length where the trace has ended
  };
  [[nodiscard]] Place place_of(Nanoseconds since_start) const;
  [[nodiscard]] Nanoseconds since_start(std::int64_t round, Nanoseconds at) const;
  [[nodiscard]] std::uint32_t entry_at(Nanoseconds at, std::uint32_t& hint) const;
  [[nodiscard]] Nanoseconds end_of(std::size_t entry) const;
  [[nodiscard]] double rate_at_end(std::size_t entry) const;
  [[nodiscard]] double bits_within(std::size_t entry, double seconds) const;
  [[nodiscard]] double seconds_for(std::size_t entry, double bits) const;
  [[nodiscard]] Nanoseconds sent_within(std::int64_t round, double bits) const;

  std::vector<TraceEntry> entries_;
  std::vector<double> bits_before_;  // each entry, and at the end
  std::vector<Nanoseconds> opportunities_;
  Nanoseconds length_;
  Nanoseconds offset_;
  TraceEnd end_;
  bool linear_;
  bool has_rate_;
  bool has_delay_;
  bool has_loss_;
  bool has_sinr_;
  bool has_cqi_;
};

}  // namespace hilgate

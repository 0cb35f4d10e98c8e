// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "bench/probe/probe_packet.h"

namespace hilgate {

/// Keeps account of one run of probes at its receiver: every probe ends as arrived or as lost, once.
/// A probe is lost when it has not arrived within `grace` of the instant it was due to leave. Memory is bounded by the
/// probes due between two calls of settle() and within `grace`, whatever the length of the run.
class ProbeLedger {
 public:
  ProbeLedger(const ProbePlan& plan, Nanoseconds grace) : plan_(plan), grace_(grace) {}

  /// True when this probe is here for the first time. False: a duplicate, declared lost before, or not due yet at
  /// `now`. Throws std::invalid_argument when `sequence` is not part of the plan.
  bool arrived(std::uint64_t sequence, HostTime now);

  /// Calls `lost` once, in order, for each probe whose grace has passed at `now` without its arrival.
  void settle(HostTime now, const std::function<void(std::uint64_t sequence)>& lost);

  /// Every probe of the plan has arrived or is lost.
  [[nodiscard]] bool complete() const { return settled_ == plan_.count; }

  [[nodiscard]] const ProbePlan& plan() const { return plan_; }
  [[nodiscard]] std::uint64_t arrived_count() const { return arrived_count_; }
  [[nodiscard]] std::uint64_t lost_count() const { return lost_count_; }
  /// Arrivals for which arrived() was false.
  [[nodiscard]] std::uint64_t ignored_count() const { return ignored_count_; }

 private:
  void settle_arrived();

  ProbePlan plan_;
  Nanoseconds grace_;
  std::uint64_t settled_ = 0;  // all probes below are settled
  std::deque<bool> here_;      // of probe settled_ + i: has it arrived
  std::uint64_t arrived_count_ = 0;
  std::uint64_t lost_count_ = 0;
  std::uint64_t ignored_count_ = 0;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>

#include "clock/time.h"

// What a probe carries: its number, when it left, and the plan it belongs to, so that the receiver knows which probes
// to miss even when the first or the last ones are lost.

namespace hilgate {

/// Probes leave no faster than this.
inline constexpr Nanoseconds kShortestProbeInterval = std::chrono::microseconds{100};

/// A run of probes: probe n is due to leave at start + n * interval. Instants are CLOCK_MONOTONIC.
struct ProbePlan {
  HostTime start{};
  Nanoseconds interval{0};  // at least kShortestProbeInterval
  std::uint64_t count = 0;  // probes in the run, > 0

  [[nodiscard]] HostTime due(std::uint64_t sequence) const {
    return start + interval * static_cast<std::int64_t>(sequence);
  }
  friend bool operator==(const ProbePlan&, const ProbePlan&) = default;
};

struct Probe {
  ProbePlan plan;
  std::uint64_t sequence = 0;  // from 0, below plan.count
  HostTime sent{};
};

/// Bytes of payload that a probe needs; the rest of the payload is padding.
inline constexpr std::size_t kProbeBytes = 48;

/// Writes `probe` to the first kProbeBytes of `payload`, in the byte order of this machine: both ends share its clock
/// and so the machine.
void write_probe(const Probe& probe, std::span<std::byte> payload);

/// Reads what write_probe wrote; empty when `payload` is too short, is no probe, or holds values out of range.
[[nodiscard]] std::optional<Probe> read_probe(std::span<const std::byte> payload);

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

// SPDX-License-Identifier: Apache-2.0
// What a probe carries: its number, when it left, and the plan it belongs to, so that the receiver knows which probes
// to miss even when the first or the last ones are lost.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"

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

}  // namespace hilgate

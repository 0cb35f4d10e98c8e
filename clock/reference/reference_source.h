// SPDX-License-Identifier: Apache-2.0
// Sources of time: the samples of every source, and their common interface.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/ptp/ptp_identity.h"
#include "clock/ptp/ptp_management.h"
#include "clock/time.h"

namespace hilgate {

/// The reference showed `wall` at the instant `host`.
struct ReferenceSample {
  HostTime host;
  WallTime wall;
};

/// What a source knows when it is asked.
struct ReferenceReading {
  std::optional<ReferenceSample> sample;  // only when it is a new one
  std::optional<ClockIdentity> grandmaster;
  std::optional<Nanoseconds> path_delay;  // to the reference; for a local clock, the width of the reading
  PtpPortState port_state = PtpPortState::kUnknown;
  std::optional<TimeProperties> properties;
  std::string problem;          // why there is nothing to be had and what would help; empty when all is well
  std::uint64_t malformed = 0;  // messages ignored because they were damaged, since the start
};

/// A source of reference time. Owned and called by the control thread.
class ReferenceSource {
 public:
  virtual ~ReferenceSource() = default;
  ReferenceSource() = default;
  ReferenceSource(const ReferenceSource&) = delete;
  ReferenceSource& operator=(const ReferenceSource&) = delete;

  /// One line for people: which source, which device or socket, which way of reading it.
  [[nodiscard]] virtual std::string describe() const = 0;

  /// Asks the source. Takes some microseconds, and at most the source's answer timeout. Does not throw for a reference
  /// that is absent, late or silly: that is what `problem` is for.
  virtual ReferenceReading read() = 0;

  /// False for a source that follows nothing, so that no reference can ever be lost.
  [[nodiscard]] virtual bool has_reference() const { return true; }
};

/// Several sources in order of preference. The first that has given a sample lately is followed; the others are asked
/// all the same, so that changing over takes no time. A source must be silent for `patience` to lose its turn.
class PreferredSource final : public ReferenceSource {
 public:
  PreferredSource(std::vector<std::unique_ptr<ReferenceSource>> sources, Nanoseconds patience);

  [[nodiscard]] std::string describe() const override;
  ReferenceReading read() override;

 private:
  struct Member {
    std::unique_ptr<ReferenceSource> source;
    std::optional<HostTime> last_sample;
  };
  std::vector<Member> members_;
  Nanoseconds patience_;
  std::size_t followed_ = 0;
};

}  // namespace hilgate

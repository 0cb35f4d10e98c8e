// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>

#include "clock/clock_line.h"
#include "clock/reference/reference_source.h"

namespace hilgate {

/// Wall time by host time.
using WallLine = ClockLine<HostTime, WallTime>;

struct LineFitOptions {
  Nanoseconds memory = std::chrono::seconds{8};      // how far back measurements count
  Nanoseconds least_span = std::chrono::seconds{2};  // below it the rate is not measured but kept
};

/// The servo: the straight line that fits the measurements of the last seconds best. Ordinary least squares, twice:
/// the second time without those that lie more than four standard deviations off, by the median of the residuals
/// (1.4826 x MAD, F. R. Hampel, "The influence curve and its role in robust estimation", JASA 69, 1974). Measurements
/// that were held up by a busy machine come in single bursts of tens of microseconds, and a PI servo would follow them.
class LineFit {
 public:
  explicit LineFit(LineFitOptions options = {}) : options_(options) {}

  /// Host times must grow; a sample that is not newer than the last is ignored.
  void add(const ReferenceSample& sample);
  /// Forgets the measurements and keeps the rate.
  void restart() { samples_.clear(); }

  /// The line through the latest measurement's instant; nothing before the first measurement.
  [[nodiscard]] std::optional<WallLine> line() const { return line_; }
  [[nodiscard]] std::size_t samples() const { return samples_.size(); }

 private:
  [[nodiscard]] WallLine fit() const;

  LineFitOptions options_;
  std::deque<ReferenceSample> samples_;
  std::optional<WallLine> line_;
};

}  // namespace hilgate

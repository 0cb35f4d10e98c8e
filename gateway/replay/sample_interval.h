// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace hilgate {

/// A mean of independent values, and where the mean of all that could be drawn is in 95 of 100 cases (Student's t).
struct SampleInterval {
  /// What no mean can be beyond.
  struct Limits {
    double least = 0, most = 0;
  };

  double mean = 0;
  double low = 0, high = 0;  // of a single value: itself

  /// Requires at least one.
  static SampleInterval of(std::span<const double> values, const Limits& limits);
};

}  // namespace hilgate

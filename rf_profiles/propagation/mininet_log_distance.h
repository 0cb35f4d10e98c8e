// SPDX-License-Identifier: Apache-2.0
// mininet-wifi's log-distance loss as CORNET uses it, for profiles that shall behave as a run there did. Formula and
// where it is wrong: radio-models 13.
#pragma once

namespace hilgate {

/// Both parts of the loss are truncated to whole decibels.
struct MininetLogDistance {
  double exponent = 3;
  /// dB; d_m >= 1 m.
  [[nodiscard]] double loss_db(double d_m, double f_hz) const;
};

}  // namespace hilgate

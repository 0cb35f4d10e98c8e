// SPDX-License-Identifier: Apache-2.0
// mininet-wifi's log-distance loss as CORNET uses it, for profiles that shall behave as a run there did. The
// loss at 1 m and that over distance are each cut down to a whole number, as there.
#pragma once

#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

class YamlReader;

/// Both parts of the loss are truncated to whole decibels.
struct MininetLogDistance {
  static constexpr std::string_view kName = "mininet_wifi";

  double exponent = 3;

  void read(YamlReader& loss);
  /// dB; d_m >= 1 m.
  [[nodiscard]] double loss_db(double d_m, double f_hz) const;
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& carrier) const {
    return loss_db(pair.d3d_m, carrier.hz);
  }
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& carrier) const {
    return loss_db(d3d_m, carrier.hz);
  }
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

class YamlReader;

/// One exponent, from a reference distance on; the reference loss below it.
struct LogDistance {
  static constexpr std::string_view kName = "log_distance";

  double exponent = 3;
  Decibels reference{46.6777};  // Friis at 1 m, 5.15 GHz
  double reference_m = 1;

  void read(YamlReader& loss);
  [[nodiscard]] double loss_db(double d_m) const {
    const double loss = reference.value + 10 * exponent * decades(d_m / reference_m);
    return d_m > reference_m ? loss : reference.value;
  }
  [[nodiscard]] double loss_db(const PairGeometry& pair, const Carrier& /*carrier*/) const {
    return loss_db(pair.d3d_m);
  }
  void losses_db(const PairBatch& pairs, const Carrier& carrier, double* loss_db) const;
  [[nodiscard]] double least_loss_db(double d3d_m, double /*highest_m*/, const Carrier& /*carrier*/) const {
    return loss_db(d3d_m);
  }
};

}  // namespace hilgate

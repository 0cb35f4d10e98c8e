// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/three_log_distance.h"

#include <algorithm>

#include "config/checked_values.h"

namespace hilgate {

void ThreeLogDistance::read(YamlReader& loss) {
  reference = within<Decibels>(loss, "reference_loss", 0, 200);
  std::size_t ranges = 0;
  for (YamlReader& range : loss.items("ranges")) {
    if (ranges < std::size(begin_m)) {
      begin_m[ranges] = within<Metres>(range, "from", 0.001, 1e6).value;
      exponent[ranges] = number_within(range, "exponent", 0, 10);
    }
    ++ranges;
  }
  if (ranges != std::size(begin_m) || !(begin_m[0] < begin_m[1] && begin_m[1] < begin_m[2])) {
    loss.fault("needs 'ranges' with three entries {from, exponent} in increasing distance");
  }
}

double ThreeLogDistance::loss_db(double d_m) const {
  if (d_m < begin_m[0]) {
    return 0;
  }
  double loss = reference.value;
  for (int i = 0; i < 3 && d_m >= begin_m[i]; ++i) {
    const double end_m = i < 2 ? std::min(d_m, begin_m[i + 1]) : d_m;
    loss += 10 * exponent[i] * decades(end_m / begin_m[i]);
  }
  return loss;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/mininet_log_distance.h"

#include <cmath>
#include <numbers>

#include "config/checked_values.h"

namespace hilgate {

void MininetLogDistance::read(YamlReader& loss) {
  exponent = number_within(loss, "exponent", 0, 10);
}

double MininetLogDistance::loss_db(double d_m, double f_hz) const {
  const double first_metre = std::trunc(20 * decades(4 * std::numbers::pi * f_hz / kLightSpeed));
  return first_metre + std::trunc(10 * exponent * decades(d_m));
}

}  // namespace hilgate

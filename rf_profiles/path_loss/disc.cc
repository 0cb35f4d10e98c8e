// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/path_loss/disc.h"

#include "config/checked_values.h"

namespace hilgate {

void Disc::read(YamlReader& loss) {
  range_m = within<Metres>(loss, "range", 0.001, 1e7).value;
}

}  // namespace hilgate

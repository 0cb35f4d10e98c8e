// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/rice_fading.h"

#include "config/checked_values.h"
#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

void RiceFading::read(YamlReader& law) {
  k = ratio(within<Decibels>(law, "k", -40, 40));
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/power_map.h"

#include "rf_profiles/fading/fading_law.h"

namespace hilgate {

PowerMap::PowerMap(const std::function<double(double probability)>& quantile) {
  for (std::int32_t i = 0; i <= kEntries; ++i) {
    const double amplitude = kHighest * i / kEntries;
    table_[i] = static_cast<float>(quantile(rayleigh_cdf(amplitude * amplitude)));
  }
}

}  // namespace hilgate

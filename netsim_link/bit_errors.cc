// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/bit_errors.h"

#include <cmath>

#include "rf_profiles/errors/wifi_error.h"

namespace hilgate {

BitHazard error_hazard(const BitErrors& errors) {
  const double p = errors.meaning == BerMeaning::kPreFec ? wifi_decoded_ber(errors.code, errors.rate) : errors.rate;
  const double begins = p < 1 ? p / (errors.burst * (1 - p) + p) : 1;
  return {-std::log1p(-begins)};
}

}  // namespace hilgate

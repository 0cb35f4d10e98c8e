// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/gz_rfcomms.h"

#include <cmath>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

HazardCurve gz_rfcomms_bit_hazard() {
  return [](double snr_db) { return -std::log1p(-std::erfc(std::sqrt(ratio_of_db(snr_db)))); };
}

HazardCurve gz_rfcomms_hazard() {
  constexpr double kBitsPerByte = 8;
  return [by_bits = gz_rfcomms_bit_hazard()](double snr_db) { return by_bits(snr_db) / kBitsPerByte; };
}

}  // namespace hilgate

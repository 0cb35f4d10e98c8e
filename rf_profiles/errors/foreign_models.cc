// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/foreign_models.h"

#include <cmath>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

double MininetLogDistance::loss_db(double d_m, double f_hz) const {
  const double first_metre = std::trunc(20 * decades(4 * std::numbers::pi * f_hz / kLightSpeed));
  return first_metre + std::trunc(10 * exponent * decades(d_m));
}

HazardCurve gz_rfcomms_bit_hazard() {
  return [](double snr_db) { return -std::log1p(-std::erfc(std::sqrt(ratio_of_db(snr_db)))); };
}

HazardCurve gz_rfcomms_hazard() {
  constexpr double kBitsPerByte = 8;
  return [by_bits = gz_rfcomms_bit_hazard()](double snr_db) { return by_bits(snr_db) / kBitsPerByte; };
}

}  // namespace hilgate

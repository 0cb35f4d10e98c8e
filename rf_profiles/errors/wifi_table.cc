// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/wifi_table.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace hilgate {
namespace {

struct Fit {
  double s0;
  double w;
};
constexpr Fit kFits[kWifiTableMcsCount] = {{0.161, -0.378},  {3.176, -0.365},  {5.656, -0.368},  {8.766, -0.457},
                                           {11.919, -0.432}, {16.067, -0.475}, {17.362, -0.490}, {18.659, -0.451},
                                           {22.571, -0.558}, {24.111, -0.504}};
constexpr double kCurvature = 0.018;
constexpr double kReferenceBits = 8.0 * 1458;

double hazard_at(const Fit& fit, double snr_db) {
  const double square = fit.w * fit.w + 4 * kCurvature * (fit.s0 - snr_db);
  if (square < 0) {
    return 0;
  }
  const double u = (fit.w + std::sqrt(square)) / (2 * kCurvature);
  return std::exp(u) / kReferenceBits;
}

}  // namespace

HazardCurve wifi_table_hazard(int mcs) {
  if (mcs < 0 || mcs >= kWifiTableMcsCount) {
    throw std::runtime_error("wifi_table: unknown MCS " + std::to_string(mcs) + "; allowed: 0 to 9");
  }
  return [fit = kFits[mcs]](double snr_db) { return hazard_at(fit, snr_db); };
}

}  // namespace hilgate

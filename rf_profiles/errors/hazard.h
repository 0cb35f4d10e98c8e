// SPDX-License-Identifier: Apache-2.0
// Error models answer with a hazard, -ln(1 - BER), because it is what the packet path counts with and because it
// keeps its digits where 1 - BER does not.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace hilgate {

/// Hazard per bit of a transmission mode at an SNR in dB (in the mode's channel). Falls with the SNR; 0 is error-free.
using HazardCurve = std::function<double(double snr_db)>;

/// -ln(1 - ber); below 0 counts as 0, 1 and above is infinite.
inline double hazard_of_ber(double ber) {
  return ber < 1 ? -std::log1p(-std::max(ber, 0.0)) : std::numeric_limits<double>::infinity();
}

/// Probability that a frame of `bits` is damaged: 1 - exp(-bits hazard).
inline double frame_error_rate(double hazard, double bits) {
  return -std::expm1(-bits * hazard);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Error model `wifi_table`: a fit to the link-simulation results behind ns-3.37's default error model for 802.11
// OFDM (within 0.14 dB of the values that ns-3 3.37 prints). For an SNR S in dB
//
//   S = s0 + w u - 0.018 u^2        -ln(1 - PER_L) = (L / 1458) e^u        L bytes of MPDU
//
// so e^u / (8 * 1458) is the hazard per bit. Above the top of the parabola (PER below 5e-5) there are no errors.
#pragma once

#include "rf_profiles/errors/hazard.h"

namespace hilgate {

inline constexpr int kWifiTableMcsCount = 10;

/// `mcs` 0 to 9, as in VHT: BPSK 1/2 to 256-QAM 5/6. Legacy OFDM rates use the MCS of the same modulation and code.
/// Throws std::runtime_error for another mcs.
HazardCurve wifi_table_hazard(int mcs);

}  // namespace hilgate

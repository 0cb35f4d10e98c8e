// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/phy/wifi_mode.h"

// Error model `wifi_table`: a fit to the link-simulation results behind ns-3.37's default error model for 802.11
// OFDM (within 0.14 dB of the values that ns-3 3.37 prints). For an SNR S in dB
//
//   S = s0 + w u - 0.018 u^2        -ln(1 - PER_L) = (L / 1458) e^u        L bytes of MPDU
//
// so e^u / (8 * 1458) is the hazard per bit. Above the top of the parabola (PER below 5e-5) there are no errors.

namespace hilgate {

inline constexpr int kWifiTableMcsCount = 10;

/// `mcs` 0 to 9, as in VHT: BPSK 1/2 to 256-QAM 5/6. Legacy OFDM rates use the MCS of the same modulation and code.
/// Throws std::runtime_error for another mcs.
HazardCurve wifi_table_hazard(int mcs);

}  // namespace hilgate

// Error models of 802.11 OFDM other than `wifi_table`, all as hazard per bit of MPDU. They disagree by 3 to 4 dB: show
// the name of the model next to every error rate.

namespace hilgate {

/// Union bound over the bit-weight spectrum of the punctured K = 7 code (NIST).
HazardCurve wifi_nist_hazard(const WifiCoding& coding);

/// The same bound for a bit error rate on the channel, before the decoder: of hard decisions, [0, 1/2]; at most 1/2.
/// Throws std::invalid_argument for a code rate other than 1/2, 2/3, 3/4 and 5/6.
double wifi_decoded_ber(const WifiCoding& coding, double channel_ber);

/// The YANS model as ns-3 has it: first terms of the bound, which leave out the i = d term. `signal_per_bit` is the
/// channel's width over the coded bit rate, so that E/N0 per coded bit is that times the SNR.
HazardCurve wifi_yans_hazard(const WifiCoding& coding, double signal_per_bit);

/// What wmediumd (mininet-wifi, CORNET) computes; everything is lost at 0 dB and below. Legacy rates only: throws
/// std::runtime_error for codings without a spectrum there.
HazardCurve wmediumd_hazard(const WifiCoding& coding);

/// 802.11b in its 22 MHz channel: 1, 2, 5.5, 11 Mbit/s. Throws std::runtime_error for another rate.
HazardCurve dsss_hazard(double rate_bps);

}  // namespace hilgate

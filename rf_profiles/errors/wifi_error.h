// SPDX-License-Identifier: Apache-2.0
// Error models of 802.11 OFDM beside `wifi_table`, all as hazard per bit of MPDU. They disagree by
// 3 to 4 dB: show the name of the model next to every error rate.
#pragma once

#include "rf_profiles/errors/hazard.h"
#include "rf_profiles/phy/wifi_mode.h"

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

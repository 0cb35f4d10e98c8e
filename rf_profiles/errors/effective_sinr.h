// SPDX-License-Identifier: Apache-2.0
// Exponential effective SINR mapping (EESM): the SINR of a flat channel in which an OFDM frame has the errors that it
// has in a channel that fades parts of its band,
//   SINR_eff = -beta ln( mean over the band of exp(-SINR_k / beta) ),
// with a beta for each modulation and code rate (Ericsson, 3GPP R1-031303, 2003). What it does not know: echoes later
// than the guard interval, which disturb the next symbol, and errors of channel estimation.
#pragma once

#include <span>

#include "config/units.h"

namespace hilgate {

/// beta of a modulation with `points` (2: BPSK to 1024) at a code rate in (0, 1).
///
/// QPSK to 256-QAM: the values of 5G-LENA (S. Lagen and others, "New Radio Physical Layer Abstraction for System-Level
/// Simulations of 5G Networks", IEEE ICC 2020) as Sionna SYS publishes them for MCS tables 1 and 2 of 3GPP TS 38.214,
/// linear in the code rate between them and beyond. Codes of 802.11 are near: 16-QAM 3/4 has 7.39 here and 7.33 in
/// R1-031303, which is of turbo codes. BPSK is QPSK at half the SNR, so that its beta is half of QPSK's. 1024-QAM is an
/// assumption: as much above 256-QAM as that is above 64-QAM.
double eesm_beta(unsigned points, double code_rate);

/// The effective SINR where the band has these gains, powers of mean 1, at `sinr` with the gain 1. Requires a gain, and
/// beta > 0.
Decibels effective_sinr(std::span<const float> gains, Decibels sinr, double beta);

}  // namespace hilgate

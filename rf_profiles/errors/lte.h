// SPDX-License-Identifier: Apache-2.0
// LTE at a flat SINR: a normal curve of block errors per MCS, through the points ns-3.37 prints;
// transport block sizes of TS 36.213. NR without a link table: attenuated Shannon.
#pragma once

#include <cstdint>

#include "config/units.h"
#include "rf_profiles/errors/packet_loss.h"

namespace hilgate {

inline constexpr int kLteMcsCount = 29;

/// SINR at which half of the blocks are lost, `mcs` 0 to 28; linear between the points known for one modulation.
Decibels lte_half_loss_sinr(int mcs);
double lte_block_error_rate(int mcs, Decibels sinr);
/// SINR at which blocks are lost with a probability.
Decibels lte_sinr_at(int mcs, double block_error_rate);

/// Bits of a transport block of 1 ms (TS 36.213 table 7.1.7.2.1-1). `resource_blocks` 50 or 100; throws
/// std::runtime_error for others.
std::uint32_t lte_block_bits(int mcs, int resource_blocks);

/// Hazard per bit when a frame takes as many blocks as it needs: -ln(1 - BLER) / block.
/// Qout: below it 10 % of hypothetical control channels (PDCCH with PCFICH) are lost, and a terminal is out of
/// synchronisation (3GPP TS 36.133, 7.6; the curve of R4-081920, as in ns-3).
inline constexpr Decibels kLteOutOfSync{-5};

/// Least SINR at which link adaptation takes an MCS: reports come in steps of two MCSs, below what a tenth of the
/// blocks of the best MCS is lost in (TS 36.213, 7.2.3), so that the next one would do as well.
Decibels lte_adapted_sinr(int mcs);

HazardCurve lte_hazard(int mcs, int resource_blocks);

/// bit/s/Hz of a CQI, 1 to 15, and the MCS that ns-3 maps it to.
double lte_cqi_efficiency(int cqi);
int lte_cqi_mcs(int cqi);
/// Points of an MCS's constellation: 4, 16 or 64 (TS 36.213, table 7.1.7.1-1).
unsigned lte_points(int mcs);
/// bit/s/Hz of an MCS, 0 to 28: of the CQI that is mapped to it, else the mean of those next to it.
double lte_mcs_efficiency(int mcs);

/// min(4.4, 0.6 log2(1 + g)), bit/s/Hz (after TR 36.942, not verified).
double attenuated_shannon(Decibels sinr);

}  // namespace hilgate

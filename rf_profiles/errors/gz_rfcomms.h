// SPDX-License-Identifier: Apache-2.0
// Errors as gz-sim's RFComms computes them, its mistakes included: for profiles that shall behave as a run there did.
// Its text of 2022: the drop probability takes bytes where bits are meant, and sigma for a variance.
#pragma once

#include "rf_profiles/errors/hazard.h"

namespace hilgate {

/// RFComms with QPSK: BER = erfc(sqrt g) in the place of half of that, and a packet of n bytes lost with
/// 1 - (1 - BER)^n: of bytes, where bits are meant.
HazardCurve gz_rfcomms_hazard();
/// The same error rate with the exponent of bits.
HazardCurve gz_rfcomms_bit_hazard();

}  // namespace hilgate

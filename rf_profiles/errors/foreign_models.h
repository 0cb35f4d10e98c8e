// SPDX-License-Identifier: Apache-2.0
// What other simulators compute, their bugs included: for profiles that shall behave as a run there did. Formulas and
// where they are wrong: radio-models 13.
#pragma once

#include "rf_profiles/errors/hazard.h"

namespace hilgate {

/// mininet-wifi's log-distance loss, as CORNET uses it: both parts truncated to whole decibels.
struct MininetLogDistance {
  double exponent = 3;
  /// dB; d_m >= 1 m.
  [[nodiscard]] double loss_db(double d_m, double f_hz) const;
};

/// gz-sim's RFComms with QPSK: BER = erfc(sqrt g) in the place of half of that, and a packet of n bytes lost with
/// 1 - (1 - BER)^n: of bytes, where bits are meant.
HazardCurve gz_rfcomms_hazard();
/// The same error rate with the exponent of bits.
HazardCurve gz_rfcomms_bit_hazard();

}  // namespace hilgate

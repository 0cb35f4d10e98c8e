// SPDX-License-Identifier: Apache-2.0
// What a configured bit error rate means, and errors that come in bursts.
#pragma once

#include <cstdint>

#include "netsim_link/link_state.h"
#include "rf_profiles/phy/wifi_mode.h"

namespace hilgate {

enum class BerMeaning : std::uint8_t {
  kPreArq,    // what is left when the receiver has decoded: the radio's check finds it and may ask again
  kResidual,  // what is left after all that: reaches the application, so the policy must deliver damaged frames
  kPreFec,    // on the channel, before the decoder
};

struct BitErrors {
  double rate = 0;  // [0, 1]
  BerMeaning meaning = BerMeaning::kPreArq;
  WifiCoding code{};  // with kPreFec: its rate
  double burst = 1;   // mean length of a run of wrong bits, at least 1; 1: independent errors
};

/// Hazard per bit at which runs of errors begin, outside of one: for runs of mean length b at bit error rate p a run
/// begins with probability p / (b (1 - p) + p), so that the share of wrong bits is p exactly. A pre-FEC rate is decoded
/// first (hard decisions, K = 7, the union bound of rf_profiles/errors/wifi_error.h).
BitHazard error_hazard(const BitErrors& errors);

}  // namespace hilgate

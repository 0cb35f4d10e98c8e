// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

/// Empirical, 2.6 GHz. For reference values only: no profile names it.
inline Decibels kun_2600_loss(double d3d_m) {
  return {36 + 26 * decades(d3d_m)};
}

}  // namespace hilgate

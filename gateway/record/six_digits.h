// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace hilgate {

/// To six digits after the point, as people write it.
inline double six_digits(double value) {
  return std::round(value * 1e6) / 1e6;
}

}  // namespace hilgate

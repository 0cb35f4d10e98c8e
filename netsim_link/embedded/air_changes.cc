// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/air_changes.h"

#include <algorithm>

namespace hilgate {

bool Jammer::is_on(SimTime at) const {
  const Nanoseconds into = at.time_since_epoch() % period;
  return static_cast<double>(into.count()) < duty * static_cast<double>(period.count());
}

double Jammer::share_in(Hertz middle, Hertz width) const {
  const double low = std::max(frequency.value - bandwidth.value / 2, middle.value - width.value / 2);
  const double high = std::min(frequency.value + bandwidth.value / 2, middle.value + width.value / 2);
  return std::max(high - low, 0.0) / bandwidth.value;
}

}  // namespace hilgate

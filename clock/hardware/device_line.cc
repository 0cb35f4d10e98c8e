// SPDX-License-Identifier: Apache-2.0
#include "clock/hardware/device_line.h"

#include <chrono>

namespace hilgate {

bool DeviceLine::add(const Reading& reading) {
  constexpr Nanoseconds kStep = std::chrono::milliseconds{1};
  const Nanoseconds miss = reading.host - line_.at(reading.device);
  const bool stepped = std::chrono::abs(miss) > kStep || reading.device <= base_.device;
  line_.from = reading.device;
  line_.to = reading.host;
  if (stepped) {
    base_ = reading;
    return true;
  }
  const Nanoseconds passed = reading.host - base_.host;
  if (passed >= baseline_.shortest) {
    line_.rate = ClockRate::from(static_cast<double>(passed.count()) /
                                 static_cast<double>((reading.device - base_.device).count()));
  }
  if (passed >= baseline_.longest) {
    base_ = reading;
  }
  return false;
}

}  // namespace hilgate

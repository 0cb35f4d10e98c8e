// SPDX-License-Identifier: Apache-2.0
#include "xdp/stamp_clock.h"

#include <chrono>
#include <stdexcept>

namespace hilgate {

StampClock::StampClock(const Interface& interface, bool zero_copy) : zero_copy_(zero_copy) {
  if (!zero_copy) {
    return;
  }
  try {
    phc_.emplace(phc_of_interface(interface.name));
  } catch (const std::runtime_error& error) {
    problem_ = error.what();
  }
}

StampLine StampClock::refresh(Nanoseconds host_error) {
  const Nanoseconds margin = std::chrono::abs(host_error);
  if (!zero_copy_) {
    tai_.refresh();
    constexpr HostTime kStart{};
    return {.line = {.from = DeviceLine::DeviceTime{Nanoseconds{tai_.realtime_ns(kStart)}}, .to = kStart},
            .margin = margin + tai_.uncertainty(),
            .valid = true};
  }
  if (!phc_) {
    return {};
  }
  try {
    const PhcReading reading = phc_->read();
    realtime_.refresh();
    phc_bridge_.add(reading, realtime_);
    return {.line = *phc_bridge_.line(),
            .margin = margin + realtime_.uncertainty() + Nanoseconds{reading.width_ns / 2},
            .valid = true};
  } catch (const std::runtime_error& error) {
    problem_ = error.what();
    phc_.reset();
    return {};
  }
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "xdp/stamp_clock.h"

#include <chrono>
#include <stdexcept>

namespace hilgate {

StampClock::StampClock(const Interface& interface, Of clock) : clock_(clock) {
  if (clock == Of::kKernel) {
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
  if (clock_ == Of::kKernel) {
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
    return stamp_line(*phc_bridge_.line(), phc_bridge_.drift(),
                      realtime_.uncertainty() + Nanoseconds{reading.width_ns / 2}, margin);
  } catch (const std::runtime_error& error) {
    problem_ = error.what();
    phc_.reset();
    return {};
  }
}

std::string StampClock::name() const {
  return clock_ == Of::kKernel ? "CLOCK_TAI" : phc_ ? phc_->path().string() : "";
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "clock/local_sources.h"

#include <fmt/core.h>
#include <sys/timex.h>

#include <ctime>
#include <system_error>

namespace hilgate {
namespace {

std::string resolve(const std::string& device) {
  return device.rfind("/dev/", 0) == 0 ? device : phc_of_interface(device).native();
}

}  // namespace

ReferenceSample read_system_tai() {
  ReferenceSample best{};
  Nanoseconds best_width{0};
  for (int i = 0; i < 8; ++i) {
    const HostTime before = monotonic_now();
    timespec tai{};
    clock_gettime(CLOCK_TAI, &tai);
    const Nanoseconds width = monotonic_now() - before;
    if (i == 0 || width < best_width) {
      best = {before + width / 2, WallTime{Nanoseconds{tai.tv_sec * std::int64_t{1'000'000'000} + tai.tv_nsec}}};
      best_width = width;
    }
  }
  return best;
}

PhcSource::PhcSource(const std::string& device) : device_(resolve(device)) {}

std::string PhcSource::describe() const {
  return fmt::format("PHC {} by {}", device_.path().native(), name(device_.method()));
}

ReferenceReading PhcSource::read() {
  ReferenceReading reading;
  realtime_.refresh();
  try {
    const PhcReading phc = device_.read();
    reading.sample = ReferenceSample{realtime_.host(phc.realtime_ns), WallTime{Nanoseconds{phc.phc_ns}}};
    reading.path_delay = Nanoseconds{phc.width_ns};
  } catch (const std::system_error& error) {
    reading.problem = error.what();
  }
  return reading;
}

std::string TaiSource::describe() const {
  return "CLOCK_TAI, disciplined by others";
}

ReferenceReading TaiSource::read() {
  ReferenceReading reading;
  timex facts{};
  const int state = adjtimex(&facts);  // modes 0: asks, changes nothing
  TimeProperties properties;
  properties.utc_offset_s = static_cast<std::int16_t>(facts.tai);
  properties.utc_offset_valid = facts.tai != 0;
  properties.ptp_timescale = facts.tai != 0;
  properties.leap_61 = state == TIME_INS;
  properties.leap_59 = state == TIME_DEL;
  reading.properties = properties;
  reading.sample = read_system_tai();
  if ((facts.status & STA_UNSYNC) != 0) {
    reading.problem = "the kernel says that nobody disciplines the system clock (STA_UNSYNC)";
  } else if (facts.tai == 0) {
    reading.problem = "the kernel's TAI offset is 0, so CLOCK_TAI is UTC: chrony's leapsectz or phc2sys sets it";
  }
  return reading;
}

MonotonicSource::MonotonicSource() : start_(read_system_tai()) {}

std::string MonotonicSource::describe() const {
  return "no reference: the host's own oscillator";
}

ReferenceReading MonotonicSource::read() {
  const HostTime now = monotonic_now();
  ReferenceReading reading;
  reading.sample = ReferenceSample{now, start_.wall + (now - start_.host)};
  return reading;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/local_sources.h"

#include <fmt/core.h>
#include <sys/timex.h>

#include <ctime>
#include <system_error>

#include "clock/host_now.h"

namespace hilgate {
namespace {

std::string resolve(const std::string& device) {
  return device.rfind("/dev/", 0) == 0 ? device : phc_of_interface(device).native();
}

constexpr std::int16_t kSimulatedUtcOffset = 37;  // TAI - UTC since 2017, s

thread_local Nanoseconds simulated_tai_ahead{0};

}  // namespace

void simulate_system_tai(Nanoseconds ahead) {
  simulated_tai_ahead = ahead;
}

ReferenceSample read_system_tai() {
  if (ControlClock::is_simulated()) {
    return {host_now(), WallTime{host_now().time_since_epoch() + simulated_tai_ahead}};
  }
  ReferenceSample best{};
  Nanoseconds best_width{0};
  for (int i = 0; i < 8; ++i) {
    const HostTime before = host_now();
    timespec tai{};
    clock_gettime(CLOCK_TAI, &tai);
    const Nanoseconds width = host_now() - before;
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
  return "CLOCK_TAI, disciplined by another program";
}

ReferenceReading TaiSource::read() {
  ReferenceReading reading;
  reading.sample = read_system_tai();
  TimeProperties properties;
  if (ControlClock::is_simulated()) {  // is disciplined
    properties.utc_offset_s = kSimulatedUtcOffset;
    properties.utc_offset_valid = properties.ptp_timescale = true;
    reading.properties = properties;
    return reading;
  }
  properties.utc_offset_s = static_cast<std::int16_t>(system_utc_offset_s());
  properties.utc_offset_valid = properties.utc_offset_s != 0;
  properties.ptp_timescale = properties.utc_offset_s != 0;
  timex facts{};
  const int state = adjtimex(&facts);  // modes 0: asks, changes nothing
  properties.leap_61 = state == TIME_INS;
  properties.leap_59 = state == TIME_DEL;
  reading.properties = properties;
  if (state < 0) {
    reading.problem = "adjtimex does not tell whether the system clock is disciplined";
  } else if ((facts.status & STA_UNSYNC) != 0) {
    reading.problem = "the system clock is not disciplined (STA_UNSYNC)";
  } else if (properties.utc_offset_s == 0) {
    reading.problem = "the kernel's TAI offset is 0, so CLOCK_TAI is UTC: set it with chrony's leapsectz or phc2sys";
  }
  return reading;
}

int system_utc_offset_s() {
  timespec tai{};
  timespec utc{};
  clock_gettime(CLOCK_REALTIME, &utc);
  clock_gettime(CLOCK_TAI, &tai);
  // They differ by whole seconds, and were read microseconds apart, the later one second.
  return static_cast<int>(tai.tv_sec - utc.tv_sec) - (tai.tv_nsec < utc.tv_nsec ? 1 : 0);
}

MonotonicSource::MonotonicSource() : start_(read_system_tai()) {}

std::string MonotonicSource::describe() const {
  return "no reference: the host's own oscillator";
}

ReferenceReading MonotonicSource::read() {
  const HostTime now = host_now();
  ReferenceReading reading;
  reading.sample = ReferenceSample{now, start_.wall + (now - start_.host)};
  return reading;
}

}  // namespace hilgate

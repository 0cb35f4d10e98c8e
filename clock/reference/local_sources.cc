// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/local_sources.h"

#include <fmt/core.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/timex.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <stdexcept>
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

namespace {

constexpr key_t kFirstKey = 0x4e545030;  // "NTP0"

template <class T>
T load(const volatile std::byte* segment, std::size_t offset) {
  return *reinterpret_cast<const volatile T*>(segment + offset);
}

// The writer gives microseconds and, if it is new enough, nanoseconds whose leading digits agree with them.
std::int64_t instant(std::int64_t seconds, std::int32_t us, std::int32_t ns) {
  const std::int64_t fraction = ns / 1000 == us ? ns : std::int64_t{us} * 1000;
  return seconds * 1'000'000'000 + fraction;
}

bool in_range(std::int64_t seconds, std::int32_t us) {
  constexpr std::int64_t kMostSeconds = 9'223'372'035;
  return seconds >= 0 && seconds <= kMostSeconds && us >= 0 && us < 1'000'000;
}

}  // namespace

std::optional<NtpShmSample> read_ntpshm(const volatile std::byte* segment) {
  NtpShmSample sample;
  sample.count = load<std::int32_t>(segment, 4);
  std::atomic_thread_fence(std::memory_order_acquire);
  const auto clock_s = load<std::int64_t>(segment, 8);
  const auto clock_us = load<std::int32_t>(segment, 16);
  const auto receive_s = load<std::int64_t>(segment, 24);
  const auto receive_us = load<std::int32_t>(segment, 32);
  sample.leap = load<std::int32_t>(segment, 36);
  const auto valid = load<std::int32_t>(segment, 48);
  const auto clock_ns = load<std::int32_t>(segment, 52);
  const auto receive_ns = load<std::int32_t>(segment, 56);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (valid != 1 || load<std::int32_t>(segment, 4) != sample.count || !in_range(clock_s, clock_us) ||
      !in_range(receive_s, receive_us)) {
    return std::nullopt;
  }
  sample.reference_ns = instant(clock_s, clock_us, clock_ns);
  sample.local_ns = instant(receive_s, receive_us, receive_ns);
  return sample;
}

NtpShmSource::NtpShmSource(int unit) : unit_(unit) {
  if (unit < 0 || unit > 255) {
    throw std::runtime_error(fmt::format("clock: ntpshm segment {} is out of range; allowed: 0 to 255", unit));
  }
}

NtpShmSource::~NtpShmSource() {
  if (segment_ != nullptr) {
    shmdt(segment_);
  }
}

std::string NtpShmSource::describe() const {
  return fmt::format("ntpshm segment {}", unit_);
}

std::string NtpShmSource::attach() {
  const int id = shmget(kFirstKey + unit_, 96, 0);
  if (id < 0 && errno == ENOENT) {
    return fmt::format(
        "ntpshm segment {} (key {:#x}) does not exist: is ptp4l running with clock_servo ntpshm and "
        "ntpshm_segment {}, in the same IPC namespace?",
        unit_, kFirstKey + unit_, unit_);
  }
  void* const memory = id < 0 ? reinterpret_cast<void*>(-1) : shmat(id, nullptr, SHM_RDONLY);
  if (memory == reinterpret_cast<void*>(-1)) {
    return fmt::format("user {} cannot read ntpshm segment {}: {}; ptp4l allows its own user only", geteuid(), unit_,
                       std::generic_category().message(errno));
  }
  segment_ = static_cast<const std::byte*>(memory);
  return {};
}

ReferenceReading NtpShmSource::read() {
  ReferenceReading reading;
  if (segment_ == nullptr) {
    reading.problem = attach();
  }
  if (segment_ == nullptr) {
    return reading;
  }
  const bool stepped = realtime_.refresh();
  const auto sample = read_ntpshm(segment_);
  if (!sample) {
    reading.problem = last_count_ ? "" : fmt::format("ntpshm segment {} has no data yet", unit_);
    return reading;
  }
  // What is found at the start may be years old: the segment outlives its writer.
  if (!last_count_) {
    last_count_ = sample->count;
    return reading;
  }
  const bool fresh = *last_count_ != sample->count;
  last_count_ = sample->count;
  if (fresh && !stepped) {
    reading.sample = ReferenceSample{realtime_.host(sample->local_ns), WallTime{Nanoseconds{sample->reference_ns}}};
  }
  return reading;
}

}  // namespace hilgate

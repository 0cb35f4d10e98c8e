// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/ntpshm_source.h"

#include <fmt/core.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace hilgate {
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

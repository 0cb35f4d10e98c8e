// SPDX-License-Identifier: Apache-2.0
// Sources that are clocks of this machine: read at the moment they are asked.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "clock/hardware/clock_bridges.h"
#include "clock/hardware/phc_device.h"
#include "clock/reference/reference_source.h"

namespace hilgate {

/// A PTP hardware clock that another program disciplines.
class PhcSource final : public ReferenceSource {
 public:
  /// `device` is /dev/ptpN or the name of a network interface. Throws as PhcDevice and phc_of_interface do.
  explicit PhcSource(const std::string& device);
  [[nodiscard]] std::string describe() const override;
  ReferenceReading read() override;

 private:
  PhcDevice device_;
  RealtimeBridge realtime_;
};

/// CLOCK_TAI: the system's clock, which chrony, ntpd or phc2sys disciplines.
class TaiSource final : public ReferenceSource {
 public:
  [[nodiscard]] std::string describe() const override;
  ReferenceReading read() override;
};

/// No reference: starts at the system's time and runs as the host's oscillator does.
class MonotonicSource final : public ReferenceSource {
 public:
  MonotonicSource();
  [[nodiscard]] std::string describe() const override;
  ReferenceReading read() override;
  [[nodiscard]] bool has_reference() const override { return false; }

 private:
  ReferenceSample start_;
};

/// CLOCK_TAI as it stands now, against host time. Also where a clock starts that has no reference yet. On a thread that
/// simulates time (ControlClock), TAI is the host time and what simulate_system_tai() has added.
ReferenceSample read_system_tai();
/// By how much this thread's simulated TAI is ahead of its simulated host time; 0 until then. For worlds (tests/world).
void simulate_system_tai(Nanoseconds ahead);

/// TAI - UTC as the kernel has it; 0 when it is not set.
int system_utc_offset_s();

/// One sample out of an NTP SHM segment: both clocks at the same Sync.
struct NtpShmSample {
  std::int32_t count = 0;  // moves on by 2 per sample: the only sign of life
  std::int64_t reference_ns = 0;
  std::int64_t local_ns = 0;  // CLOCK_REALTIME
  std::int32_t leap = 0;
};

/// Reads the 96 bytes of a segment in use, as ntpd's refclock 28 lays them out on 64-bit Linux. Nothing when a writer
/// is at work or nothing valid was ever written.
std::optional<NtpShmSample> read_ntpshm(const volatile std::byte* segment);

/// The NTP shared-memory segment that ptp4l fills with `clock_servo ntpshm` (and gpsd, and others).
class NtpShmSource final : public ReferenceSource {
 public:
  /// `unit` is linuxptp's ntpshm_segment, from 0. The segment may appear later.
  explicit NtpShmSource(int unit);
  ~NtpShmSource() override;

  [[nodiscard]] std::string describe() const override;
  ReferenceReading read() override;

 private:
  std::string attach();

  int unit_;
  const std::byte* segment_ = nullptr;
  RealtimeBridge realtime_;
  std::optional<std::int32_t> last_count_;
};

}  // namespace hilgate

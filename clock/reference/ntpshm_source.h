// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "clock/hardware/clock_bridges.h"
#include "clock/reference/reference_source.h"

namespace hilgate {

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

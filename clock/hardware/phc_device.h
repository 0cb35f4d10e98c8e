// SPDX-License-Identifier: Apache-2.0
// A PTP hardware clock, read against the system clock (linux/ptp_clock.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/file_descriptor.h"

namespace hilgate {

/// One reading of a PHC and of CLOCK_REALTIME at the same instant, known to within width_ns / 2.
struct PhcReading {
  std::int64_t phc_ns = 0;
  std::int64_t realtime_ns = 0;
  std::int64_t width_ns = 0;  // 0: latched in hardware
};

/// The kernel's ways of reading a PHC against the system clock, best first.
enum class PhcMethod : std::uint8_t { kPrecise, kExtended, kPlain };
std::string_view name(PhcMethod method);

class PhcDevice {
 public:
  /// Opens /dev/ptpN and chooses the best method that the driver has. Throws std::runtime_error when the device is
  /// missing, closed to this user or not a PHC.
  explicit PhcDevice(const std::filesystem::path& device);

  /// Throws std::system_error when the device has gone.
  [[nodiscard]] PhcReading read() const;
  [[nodiscard]] PhcMethod method() const { return method_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  FileDescriptor device_;
  PhcMethod method_ = PhcMethod::kPlain;
};

/// The PHC of a network interface, as /dev/ptpN. Throws std::runtime_error when it has none or there is no such
/// interface.
std::filesystem::path phc_of_interface(const std::string& interface);

/// Of readings sys, phc, sys (PTP_SYS_OFFSET_EXTENDED's order) the one whose system stamps are closest together; the
/// two loops of PTP_SYS_OFFSET come in the same shape. `triples` is not empty.
struct PhcTriple {
  std::int64_t before_ns;
  std::int64_t phc_ns;
  std::int64_t after_ns;
};
PhcReading narrowest(std::span<const PhcTriple> triples);

}  // namespace hilgate

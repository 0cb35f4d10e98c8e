// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clock/ptp/management_client.h"
#include "clock/reference/reference_source.h"

namespace hilgate {

enum class ReferenceKind : std::uint8_t { kPtp4l, kPhc, kNtpshm, kTai, kMonotonic };

/// Which reference to follow; fields that do not belong to the kind are ignored.
struct ReferenceOptions {
  ReferenceKind kind = ReferenceKind::kMonotonic;
  ManagementOptions ptp4l{};                // kPtp4l: the socket
  std::vector<std::uint8_t> domains = {0};  // kPtp4l: in order of preference; a ptp4l per domain
  std::string phc;                          // kPhc: device or interface; kPtp4l: the PHC ptp4l steers, or empty
  int ntpshm_unit = 0;                      // kNtpshm
};

/// "ptp4l", "phc", "ntpshm", "tai" or "monotonic". Throws std::runtime_error for any other word.
ReferenceKind reference_kind(std::string_view word);
std::string_view name(ReferenceKind kind);

/// Where the ptp4l of a domain is asked.
std::filesystem::path ptp4l_socket(const ReferenceOptions& options, std::uint8_t domain);

/// Opens the source. Throws std::runtime_error for what can never work (a device that is no PHC); a reference that is
/// merely absent is reported by read().
///
/// With several domains, "{domain}" in the socket's path stands for the number, since each ptp4l has its own socket.
std::unique_ptr<ReferenceSource> make_reference(const ReferenceOptions& options);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Announcements of DDS participants.
#include <span>

#include "gateway/run/telemetry/dds_participants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto read = hilgate::read_dds_announcement(bytes);
  if (read && (!hilgate::is_rtps(bytes) || read->name.size() > hilgate::DdsAnnouncement::kText)) {
    __builtin_trap();
  }
  return 0;
}

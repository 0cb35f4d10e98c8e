// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever may arrive on the management socket, and in shared memory.
#include <array>
#include <cstdint>
#include <cstring>

#include "clock/ptp/ptp_management.h"
#include "clock/reference/local_sources.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  const auto bytes = std::as_bytes(std::span{data, size});
  if (const auto reply = parse_management(bytes)) {
    parse_time_status(reply->data);
    parse_current_data_set(reply->data);
    parse_time_properties(reply->data);
    parse_port_data_set(reply->data);
  }
  alignas(8) std::array<std::byte, 96> segment{};
  std::memcpy(segment.data(), data, size < segment.size() ? size : segment.size());
  read_ntpshm(segment.data());
  return 0;
}

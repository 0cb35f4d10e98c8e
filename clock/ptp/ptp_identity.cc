// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/ptp_identity.h"

#include <cstdio>

#include "host/byte_cursor.h"

namespace hilgate {

ClockIdentity clock_identity(std::span<const std::uint8_t, 6> mac) {
  return {{mac[0], mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]}};
}

std::string to_string(const ClockIdentity& identity) {
  char text[24];
  const auto& b = identity.bytes;
  std::snprintf(text, sizeof text, "%02x%02x%02x.%02x%02x.%02x%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5], b[6],
                b[7]);
  return text;
}

std::string to_string(const PortIdentity& identity) {
  return to_string(identity.clock) + "-" + std::to_string(identity.port);
}

ClockIdentity load_clock_identity(std::span<const std::byte> bytes, std::size_t offset) {
  ClockIdentity identity;
  for (std::size_t i = 0; i < identity.bytes.size(); ++i) {
    identity.bytes[i] = load_be<std::uint8_t>(bytes, offset + i);
  }
  return identity;
}

PortIdentity load_port_identity(std::span<const std::byte> bytes, std::size_t offset) {
  return {load_clock_identity(bytes, offset), load_be<std::uint16_t>(bytes, offset + 8)};
}

void store_identity(std::span<std::byte> bytes, std::size_t offset, const ClockIdentity& identity) {
  for (std::size_t i = 0; i < identity.bytes.size(); ++i) {
    store_be(bytes, offset + i, identity.bytes[i]);
  }
}

void store_identity(std::span<std::byte> bytes, std::size_t offset, const PortIdentity& identity) {
  store_identity(bytes, offset, identity.clock);
  store_be(bytes, offset + 8, identity.port);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hilgate {

/// An IPv4 or IPv6 address, octets in the order of transmission.
struct IpAddress {
  bool is_v6 = false;
  std::array<std::uint8_t, 16> octets{};  // IPv4 uses the first four; the rest are 0

  [[nodiscard]] bool is_multicast() const { return is_v6 ? octets[0] == 0xff : (octets[0] & 0xf0U) == 0xe0; }
  [[nodiscard]] bool is_unspecified() const { return octets == std::array<std::uint8_t, 16>{}; }
  friend constexpr auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

/// Reads an address without prefix length or scope; empty when `text` is none.
std::optional<IpAddress> parse_ip_address(std::string_view text);

/// Writes the canonical text (RFC 5952 for IPv6).
std::string to_string(const IpAddress& address);

}  // namespace hilgate

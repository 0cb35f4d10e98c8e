// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hilgate {

/// An IEEE 802 address, octets in the order of transmission.
struct MacAddress {
  std::array<std::uint8_t, 6> octets{};

  /// The group bit: multicast and broadcast.
  [[nodiscard]] constexpr bool is_group() const { return (octets[0] & 1U) != 0; }
  friend constexpr auto operator<=>(const MacAddress&, const MacAddress&) = default;
};

/// Reads six hexadecimal octets with colons ("02:68:67:00:00:01"); empty when `text` is anything else.
std::optional<MacAddress> parse_mac_address(std::string_view text);

/// Writes what parse_mac_address() reads, in lower case.
std::string to_string(const MacAddress& address);

}  // namespace hilgate

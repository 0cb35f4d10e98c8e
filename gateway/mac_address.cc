// SPDX-License-Identifier: Apache-2.0
#include "gateway/mac_address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace hilgate {

std::optional<MacAddress> parse_mac_address(std::string_view text) {
  MacAddress address;
  if (text.size() != 3 * address.octets.size() - 1) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < address.octets.size(); ++i) {
    const char* first = text.data() + 3 * i;
    const auto [end, error] = std::from_chars(first, first + 2, address.octets[i], 16);
    const bool separated = i + 1 == address.octets.size() || first[2] == ':';
    if (error != std::errc{} || end != first + 2 || !separated) {
      return std::nullopt;
    }
  }
  return address;
}

std::string to_string(const MacAddress& address) {
  return fmt::format("{:02x}", fmt::join(address.octets, ":"));
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sections/config_text.h"

#include <fmt/format.h>

#include <charconv>

namespace hilgate {

MacAddress TextOf<MacAddress>::parse(std::string_view text) {
  const auto address = MacAddress::parse(text);
  if (!address) {
    throw std::invalid_argument(fmt::format("'{}' is not a MAC address; example: 02:68:67:00:00:01", text));
  }
  if (address->is_group() || *address == MacAddress{}) {
    throw std::invalid_argument(
        fmt::format("'{}' is not a unicast address; the first octet must be even, and not all octets 0", text));
  }
  return *address;
}

IpAddress TextOf<IpAddress>::parse(std::string_view text) {
  const auto address = IpAddress::parse(text);
  if (!address) {
    throw std::invalid_argument(
        fmt::format("'{}' is not an IP address; example: 10.77.0.1 or fd77::1, without a prefix length", text));
  }
  if (address->is_multicast() || address->is_unspecified()) {
    throw std::invalid_argument(fmt::format("'{}' is not a unicast address", text));
  }
  return *address;
}

Ethertype TextOf<Ethertype>::parse(std::string_view text) {
  Ethertype type;
  const char* end = text.data() + text.size();
  if (text.starts_with("0x")) {
    const auto [stop, error] = std::from_chars(text.data() + 2, end, type.value, 16);
    if (error == std::errc{} && stop == end && type.value >= 0x0600) {
      return type;
    }
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not an ethertype; allowed: 0x0600 to 0xffff, for example 0x88cc", text));
}

}  // namespace hilgate

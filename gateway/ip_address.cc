// SPDX-License-Identifier: Apache-2.0
#include "gateway/ip_address.h"

#include <arpa/inet.h>

namespace hilgate {

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string terminated(text);
  IpAddress address;
  address.is_v6 = text.find(':') != std::string_view::npos;
  const int family = address.is_v6 ? AF_INET6 : AF_INET;
  if (inet_pton(family, terminated.c_str(), address.octets.data()) != 1) {
    return std::nullopt;
  }
  return address;
}

std::string to_string(const IpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(address.is_v6 ? AF_INET6 : AF_INET, address.octets.data(), text.data(), text.size());
  return text.data();
}

}  // namespace hilgate

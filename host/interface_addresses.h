// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hilgate {

/// In network byte order, IPv4 as ::ffff:a.b.c.d.
using IpBytes = std::array<std::uint8_t, 16>;
bool is_ipv4(const IpBytes& ip);
/// Of fe80::/10, which is valid on one link alone.
bool is_link_local_ipv6(const IpBytes& ip);

/// The IP addresses of a network interface in the calling thread's network namespace, in the kernel's order; on a line
/// to a peer its own ones. Empty when there is no such interface.
std::vector<IpBytes> interface_addresses(const std::string& interface);

/// The same of all interfaces.
std::vector<IpBytes> interface_addresses();

}  // namespace hilgate

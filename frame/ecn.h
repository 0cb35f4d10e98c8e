// SPDX-License-Identifier: Apache-2.0
// Explicit congestion notification in IP headers (RFC 3168): two bits, in IPv4's TOS and IPv6's traffic class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hilgate {

/// The ECN field (RFC 3168, 5).
enum class Ecn : std::uint8_t { kNotCapable = 0, kCapable1 = 1, kCapable0 = 2, kCongestion = 3 };

/// The field of the frame whose first segment is `head`; kNotCapable where it is not IP.
Ecn ecn_of(std::span<const std::byte> head);

/// Sets Congestion Experienced, and has IPv4's header checksum follow (RFC 1624, equation 3). Requires ecn_of() to be
/// another value than kNotCapable.
void set_congestion(std::span<std::byte> head);

/// A number of the frame's flow: of addresses, protocol and ports for IP (of fragments without ports), otherwise of the
/// MAC addresses and the EtherType.
std::uint32_t flow_number(std::span<const std::byte> head);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "frame/headers.h"

namespace hilgate {

/// How much of a frame a radio at a serial port has to carry, bytes: the data of UDP or TCP, which a program would have
/// written to the port; nothing of ARP. Other packets, which no serial port has, count from their IP header on. `head`
/// is the frame's first segment, `length` that of the whole frame; `payload` follows the EtherType.
inline std::uint32_t serial_payload(std::span<const std::byte> head, std::uint32_t length, std::uint32_t payload) {
  constexpr std::size_t kTcpDataOffset = 12;
  const auto ethernet = parse_ethernet(head);
  if (ethernet && ethernet->type == EtherType::kArp) {
    return 0;
  }
  const auto ip = ethernet ? parse_ip(head, *ethernet) : std::nullopt;
  if (!ip) {
    return length > payload ? length - payload : 0;
  }
  const std::uint32_t end = std::min(ip->end, length);
  std::uint32_t header = 0;
  if (ip->protocol == IpProtocol::kUdp) {
    header = ip->payload - ip->start + kUdpHeader;
  } else if (ip->protocol == IpProtocol::kTcp && head.size() > ip->payload + kTcpDataOffset) {
    header = ip->payload - ip->start + 4 * std::to_integer<std::uint32_t>(head[ip->payload + kTcpDataOffset] >> 4);
  }
  return end > ip->start + header ? end - ip->start - header : 0;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// A packet of a serial line in the packet path. A line has no addresses: its bytes follow an Ethernet header of the
// gateway's own, so that they pass capture, air and release as every frame does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "frame/address.h"
#include "frame/frame.h"
#include "frame/headers.h"

namespace hilgate {

/// IEEE 802's EtherTypes for local experiments, which leave the gateway on no network.
inline constexpr EtherType kLineStream{0x88B5};  // bytes of the line
inline constexpr EtherType kLineReport{0x88B6};  // reports of the radio itself to its host

/// The robot at that port, which is alone there. Locally administered.
constexpr MacAddress serial_mac(PortSlot port) {
  return MacAddress{0x0268'67FD'0000ULL | (port.value() & 0xFFFF)};
}

/// Whether a frame, of which `head` has the beginning, is a packet of a line: its header is the gateway's own.
inline bool is_line_packet(std::span<const std::byte> head) {
  return head.size() >= kEthernetHeader && EtherType{load_be<std::uint16_t>(head.data() + 12)} == kLineStream &&
         load_be<std::uint32_t>(head.data() + 6) == serial_mac(PortSlot{}).value() >> 16;
}

/// A header in front of what the robot at `port` sends, to its receivers, or of its radio's reports.
inline std::array<std::byte, kEthernetHeader> serial_header(PortSlot port, EtherType type) {
  std::array<std::byte, kEthernetHeader> header{};
  header.fill(std::byte{0xFF});
  store_be(header, 6, static_cast<std::uint16_t>(serial_mac(port).value() >> 32));
  store_be(header, 8, static_cast<std::uint32_t>(serial_mac(port).value()));
  store_be(header, 12, static_cast<std::uint16_t>(type));
  return header;
}

}  // namespace hilgate

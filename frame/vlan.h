// SPDX-License-Identifier: Apache-2.0
// The VLAN tag of a frame, IEEE 802.1Q-2018, 9.3 to 9.6: after the addresses, the ethertype 0x8100, three bits of
// priority, the drop eligible bit and the VLAN's number. A frame with number 0 has a priority and is of no VLAN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "frame/frame.h"
#include "frame/headers.h"
#include "host/byte_cursor.h"

namespace hilgate {

/// 1 to 4094; 0: none.
using VlanId = std::uint16_t;
inline constexpr VlanId kMaxVlanId = 4094;

/// The outer tag's control field: priority and VLAN. Empty when the frame has no tag of this kind.
inline std::optional<std::uint16_t> vlan_control(std::span<const std::byte> head) {
  constexpr std::size_t kType = kEthernetHeader - 2;
  if (head.size() < kEthernetHeader + kVlanTag ||
      load_be<std::uint16_t>(head.data() + kType) != static_cast<std::uint16_t>(EtherType::kVlan)) {
    return std::nullopt;
  }
  return load_be<std::uint16_t>(head.data() + kEthernetHeader);
}
constexpr VlanId vlan_of(std::uint16_t control) {
  return control & 0x0FFF;
}

/// Takes the frame off its VLAN: without its tag or, where that has a priority, with VLAN 0 in it. Requires a tag, and
/// a frame that has one owner. False: its memory cannot do this, and the frame is spoilt.
template <FramePool Pool>
bool take_off_vlan(Pool& pool, Frame& frame) {
  const std::span<std::byte> head(frame.data, frame.head_length);
  const std::uint16_t priority = *vlan_control(head) & 0xF000;
  if (priority != 0) {
    store_be(head, kEthernetHeader, priority);
    return true;
  }
  std::memmove(frame.data + kVlanTag, frame.data, kEthernetHeader - 2);
  return pool.move_start(frame, kVlanTag);
}

/// Puts the frame into a VLAN: with a tag of its own or, where it has one with VLAN 0, in that. Requires a frame that
/// has one owner. False: its memory has no room.
template <FramePool Pool>
bool put_on_vlan(Pool& pool, Frame& frame, VlanId vlan) {
  if (const auto control = vlan_control({frame.data, frame.head_length}); control && vlan_of(*control) == 0) {
    store_be(std::span(frame.data, frame.head_length), kEthernetHeader, static_cast<std::uint16_t>(*control | vlan));
    return true;
  }
  std::byte* const addresses = frame.data;
  if (!pool.move_start(frame, -static_cast<int>(kVlanTag))) {
    return false;
  }
  std::memmove(frame.data, addresses, kEthernetHeader - 2);
  const std::span<std::byte> head(frame.data, frame.head_length);
  store_be(head, kEthernetHeader - 2, static_cast<std::uint16_t>(EtherType::kVlan));
  store_be(head, kEthernetHeader, vlan);
  return true;
}

}  // namespace hilgate

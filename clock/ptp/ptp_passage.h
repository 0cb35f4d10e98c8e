// SPDX-License-Identifier: Apache-2.0
// PTP of the robots on its way through the gateway. Pure functions over a frame's bytes; they neither allocate nor
// throw, so the packet loop may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "clock/allowance.h"
#include "clock/ptp/ptp_message.h"
#include "clock/time.h"
#include "host/byte_cursor.h"

namespace hilgate {

/// What a port does with PTP that a robot sends.
enum class PtpPassage : std::uint8_t {
  kKeep,         // ends at the port, which is a grandmaster or boundary of its own: the default
  kTransparent,  // bypasses the medium; the residence time is added to the correction field
  kThroughAir,   // like any frame: delays and losses of the air become errors of the robots' clocks
};
std::string_view name(PtpPassage passage);
/// The warning about a port with this passage; empty without one. Not for the packet loop.
std::string_view warning(PtpPassage passage);

/// A PTP message within an Ethernet frame: where it starts, and where its UDP header does (0: straight on Ethernet).
struct PtpPlace {
  std::size_t message = 0;
  std::size_t udp = 0;
  bool is_ipv6 = false;
  PtpType type = PtpType::kSync;
};

/// Worth a closer look? False for what find_ptp certainly finds nothing in; a few compares.
inline bool may_be_ptp(std::span<const std::byte> frame) noexcept {
  constexpr std::size_t kIpv4DestinationPort = 36;  // without IP options
  constexpr std::size_t kIpv6DestinationPort = 56;
  if (frame.size() < kIpv4DestinationPort + 2) {
    return frame.size() >= 14;
  }
  const auto is_port = [frame](std::size_t at) {
    const unsigned port = load_be<std::uint16_t>(frame, at);
    return port == kPtpEventPort || port == kPtpGeneralPort;
  };
  switch (load_be<std::uint16_t>(frame, 12)) {
    case 0x0800:
      return frame[14] != std::byte{0x45} || is_port(kIpv4DestinationPort);
    case 0x86dd:
      return frame.size() >= kIpv6DestinationPort + 2 && is_port(kIpv6DestinationPort);
    case 0x8100:
    case 0x88a8:
    case kPtpEthertype:
      return true;
    default:
      return false;
  }
}

/// Looks for a PTP version 2 message: ethertype 88f7, or UDP port 319 or 320 over IPv4 or IPv6, after up to two VLAN
/// tags. Nothing for other frames, fragments, damaged messages, and IPv6 with extension headers.
std::optional<PtpPlace> find_ptp(std::span<const std::byte> frame) noexcept;

/// Whether a message may bypass the air: of a kind and length that clocks send, and not one followed by something else.
/// `frame_length`: of the whole frame. The longest are Announce messages with a short path trace.
[[nodiscard]] bool may_pass_beside_air(std::span<const std::byte> frame, std::uint32_t frame_length,
                                       const PtpPlace& place) noexcept;

/// How much of it a port may send past the air: as a clock with some ten slaves does. What is more goes through the
/// air.
using PtpAllowance = Allowance<512, 64>;  // messages

/// Does a transparent clock add the residence time to this message? To Sync, Delay_Req and the Pdelay event messages
/// (IEEE 1588-2008, 11.5; for two-step Syncs too, as slaves add up both corrections).
constexpr bool takes_residence(PtpType type) {
  return is_event(type);
}

/// Adds `residence` (real time; 0 or more) to the correction field and updates the UDP checksum (RFC 1624). A
/// correction that would not fit becomes the largest, which means "unknown" (13.3.2.7). The frame's memory must be
/// private: two receivers may have different residence times.
void add_residence(std::span<std::byte> frame, const PtpPlace& place, Nanoseconds residence) noexcept;

}  // namespace hilgate

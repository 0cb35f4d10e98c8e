// SPDX-License-Identifier: Apache-2.0
// The messages of IEEE 1588-2008 (clause 13) that hilgate sends and understands, as plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/ptp/ptp_identity.h"
#include "clock/time.h"

namespace hilgate {

enum class PtpType : std::uint8_t {
  kSync = 0x0,
  kDelayReq = 0x1,
  kPdelayReq = 0x2,
  kPdelayResp = 0x3,
  kFollowUp = 0x8,
  kDelayResp = 0x9,
  kPdelayRespFollowUp = 0xa,
  kAnnounce = 0xb,
  kSignaling = 0xc,
  kManagement = 0xd,
};

/// Event messages are stamped when they pass; on UDP they use port 319, the others 320.
constexpr bool is_event(PtpType type) {
  return static_cast<std::uint8_t>(type) < 8;
}
/// Peer delay messages go to the link's other end only and have a multicast address of their own.
constexpr bool is_peer_delay(PtpType type) {
  return type == PtpType::kPdelayReq || type == PtpType::kPdelayResp || type == PtpType::kPdelayRespFollowUp;
}

inline constexpr std::size_t kPtpHeaderLength = 34;
inline constexpr std::uint16_t kPtpEventPort = 319;
inline constexpr std::uint16_t kPtpGeneralPort = 320;
inline constexpr std::uint16_t kPtpEthertype = 0x88f7;

// Flags, as the u16 at offset 6 (IEEE 1588-2008, table 20).
inline constexpr std::uint16_t kPtpTwoStep = 0x0200;
inline constexpr std::uint16_t kPtpLeap61 = 0x0001;
inline constexpr std::uint16_t kPtpLeap59 = 0x0002;
inline constexpr std::uint16_t kPtpUtcOffsetValid = 0x0004;
inline constexpr std::uint16_t kPtpTimescale = 0x0008;
inline constexpr std::uint16_t kPtpTimeTraceable = 0x0010;
inline constexpr std::uint16_t kPtpFrequencyTraceable = 0x0020;

struct PtpHeader {
  PtpType type = PtpType::kSync;
  std::uint8_t transport_specific = 0;
  std::uint16_t length = 0;  // of the whole message; further bytes are padding
  std::uint8_t domain = 0;
  std::uint16_t flags = 0;
  std::int64_t correction = 0;  // ns * 2^16
  PortIdentity source{};
  std::uint16_t sequence = 0;
  std::int8_t log_interval = 0;  // log2 of seconds
};

/// A master's description of itself (IEEE 1588-2008, 13.5).
struct PtpAnnounce {
  std::int16_t utc_offset_s = 37;
  std::uint8_t priority1 = 128;
  std::uint8_t clock_class = 248;
  std::uint8_t accuracy = 0xfe;
  std::uint16_t variance = 0xffff;
  std::uint8_t priority2 = 128;
  ClockIdentity grandmaster{};
  std::uint16_t steps_removed = 0;
  std::uint8_t time_source = 0xa0;
};

/// A message ready to be sent.
struct PtpMessage {
  std::array<std::byte, 64> bytes{};
  std::size_t length = 0;
  [[nodiscard]] std::span<const std::byte> span() const { return {bytes.data(), length}; }
  [[nodiscard]] PtpType type() const { return static_cast<PtpType>(std::to_integer<std::uint8_t>(bytes[0]) & 0xf); }
};

/// The header of a version 2 message whose type is known and whose bytes are all there; nothing for any other.
std::optional<PtpHeader> parse_ptp_header(std::span<const std::byte> message);
/// The body of an Announce; nothing when the message is too short to be one.
std::optional<PtpAnnounce> parse_announce(std::span<const std::byte> message);
/// The timestamp that follows the header in Sync, Delay_Req, Follow_Up, Delay_Resp and the Pdelay messages. Nothing
/// when the nanoseconds exceed a second or the instant does not fit the 292 years of PtpTime.
std::optional<PtpTime> parse_ptp_timestamp(std::span<const std::byte> message);
/// The requester named in Delay_Resp, Pdelay_Resp and Pdelay_Resp_Follow_Up.
std::optional<PortIdentity> parse_requester(std::span<const std::byte> message);

// Builders. They set type, length and the historical control field; the caller sets the rest of the header. A time
// before the epoch cannot be expressed (the seconds are unsigned): it is sent as the epoch.
PtpMessage make_announce(const PtpHeader& header, const PtpAnnounce& announce);
PtpMessage make_sync(const PtpHeader& header);
PtpMessage make_follow_up(const PtpHeader& header, PtpTime origin);
PtpMessage make_delay_resp(const PtpHeader& header, PtpTime received, const PortIdentity& requester);
PtpMessage make_pdelay_resp(const PtpHeader& header, PtpTime received, const PortIdentity& requester);
PtpMessage make_pdelay_resp_follow_up(const PtpHeader& header, PtpTime sent, const PortIdentity& requester);
PtpMessage make_delay_req(const PtpHeader& header);
PtpMessage make_pdelay_req(const PtpHeader& header);

}  // namespace hilgate

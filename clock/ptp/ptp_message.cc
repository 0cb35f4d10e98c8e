// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/ptp_message.h"

#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// IEEE 1588-2008, clause 13: lengths without TLVs. 0 for types that do not exist.
constexpr std::size_t body_end(PtpType type) {
  switch (type) {
    case PtpType::kSync:
    case PtpType::kDelayReq:
    case PtpType::kFollowUp:
    case PtpType::kSignaling:
      return 44;
    case PtpType::kPdelayReq:
    case PtpType::kPdelayResp:
    case PtpType::kPdelayRespFollowUp:
    case PtpType::kDelayResp:
      return 54;
    case PtpType::kAnnounce:
      return 64;
    case PtpType::kManagement:
      return 48;
  }
  return 0;
}

// IEEE 1588-2008, table 23.
constexpr std::uint8_t control(PtpType type) {
  switch (type) {
    case PtpType::kSync:
      return 0;
    case PtpType::kDelayReq:
      return 1;
    case PtpType::kFollowUp:
      return 2;
    case PtpType::kDelayResp:
      return 3;
    case PtpType::kManagement:
      return 4;
    default:
      return 5;
  }
}

PtpMessage make(const PtpHeader& header, PtpType type) {
  PtpMessage message;
  message.length = body_end(type);
  const std::span<std::byte> out{message.bytes};
  store_be(out, 0, static_cast<std::uint8_t>(header.transport_specific << 4 | static_cast<std::uint8_t>(type)));
  store_be(out, 1, std::uint8_t{2});
  store_be(out, 2, static_cast<std::uint16_t>(message.length));
  store_be(out, 4, header.domain);
  store_be(out, 6, header.flags);
  store_be(out, 8, header.correction);
  store_identity(out, 20, header.source);
  store_be(out, 30, header.sequence);
  store_be(out, 32, control(type));
  store_be(out, 33, header.log_interval);
  return message;
}

void store_time(PtpMessage& message, PtpTime time) {
  const std::int64_t ns = time.time_since_epoch().count() > 0 ? time.time_since_epoch().count() : 0;
  const std::int64_t seconds = ns / kSecond;
  store_be(std::span{message.bytes}, 34, static_cast<std::uint16_t>(seconds >> 32));
  store_be(std::span{message.bytes}, 36, static_cast<std::uint32_t>(seconds));
  store_be(std::span{message.bytes}, 40, static_cast<std::uint32_t>(ns % kSecond));
}

PtpMessage make_answer(const PtpHeader& header, PtpType type, PtpTime time, const PortIdentity& requester) {
  PtpMessage message = make(header, type);
  store_time(message, time);
  store_identity(std::span{message.bytes}, 44, requester);
  return message;
}

}  // namespace

std::optional<PtpHeader> parse_ptp_header(std::span<const std::byte> message) {
  if (message.size() < kPtpHeaderLength) {
    return std::nullopt;
  }
  PtpHeader header;
  const auto first = load_be<std::uint8_t>(message, 0);
  header.type = static_cast<PtpType>(first & 0xf);
  header.transport_specific = first >> 4;
  header.length = load_be<std::uint16_t>(message, 2);
  const std::size_t least = body_end(header.type);
  const bool version_2 = (load_be<std::uint8_t>(message, 1) & 0xf) == 2;
  if (!version_2 || least == 0 || header.length < least || header.length > message.size()) {
    return std::nullopt;
  }
  header.domain = load_be<std::uint8_t>(message, 4);
  header.flags = load_be<std::uint16_t>(message, 6);
  header.correction = load_be<std::int64_t>(message, 8);
  header.source = load_port_identity(message, 20);
  header.sequence = load_be<std::uint16_t>(message, 30);
  header.log_interval = load_be<std::int8_t>(message, 33);
  return header;
}

std::optional<PtpAnnounce> parse_announce(std::span<const std::byte> message) {
  if (message.size() < body_end(PtpType::kAnnounce)) {
    return std::nullopt;
  }
  PtpAnnounce announce;
  announce.utc_offset_s = load_be<std::int16_t>(message, 44);
  announce.priority1 = load_be<std::uint8_t>(message, 47);
  announce.clock_class = load_be<std::uint8_t>(message, 48);
  announce.accuracy = load_be<std::uint8_t>(message, 49);
  announce.variance = load_be<std::uint16_t>(message, 50);
  announce.priority2 = load_be<std::uint8_t>(message, 52);
  announce.grandmaster = load_clock_identity(message, 53);
  announce.steps_removed = load_be<std::uint16_t>(message, 61);
  announce.time_source = load_be<std::uint8_t>(message, 63);
  return announce;
}

std::optional<PtpTime> parse_ptp_timestamp(std::span<const std::byte> message) {
  if (message.size() < 44) {
    return std::nullopt;
  }
  const std::uint64_t seconds =
      std::uint64_t{load_be<std::uint16_t>(message, 34)} << 32 | load_be<std::uint32_t>(message, 36);
  const auto ns = load_be<std::uint32_t>(message, 40);
  if (ns >= kSecond || seconds >= static_cast<std::uint64_t>(PtpTime::max().time_since_epoch().count() / kSecond)) {
    return std::nullopt;
  }
  return PtpTime{Nanoseconds{static_cast<std::int64_t>(seconds) * kSecond + ns}};
}

std::optional<PortIdentity> parse_requester(std::span<const std::byte> message) {
  if (message.size() < 54) {
    return std::nullopt;
  }
  return load_port_identity(message, 44);
}

PtpMessage make_announce(const PtpHeader& header, const PtpAnnounce& announce) {
  PtpMessage message = make(header, PtpType::kAnnounce);
  const std::span<std::byte> out{message.bytes};
  store_be(out, 44, announce.utc_offset_s);
  store_be(out, 47, announce.priority1);
  store_be(out, 48, announce.clock_class);
  store_be(out, 49, announce.accuracy);
  store_be(out, 50, announce.variance);
  store_be(out, 52, announce.priority2);
  store_identity(out, 53, announce.grandmaster);
  store_be(out, 61, announce.steps_removed);
  store_be(out, 63, announce.time_source);
  return message;
}

PtpMessage make_sync(const PtpHeader& header) {
  return make(header, PtpType::kSync);
}
PtpMessage make_delay_req(const PtpHeader& header) {
  return make(header, PtpType::kDelayReq);
}
PtpMessage make_pdelay_req(const PtpHeader& header) {
  return make(header, PtpType::kPdelayReq);
}

PtpMessage make_follow_up(const PtpHeader& header, PtpTime origin) {
  PtpMessage message = make(header, PtpType::kFollowUp);
  store_time(message, origin);
  return message;
}

PtpMessage make_delay_resp(const PtpHeader& header, PtpTime received, const PortIdentity& requester) {
  return make_answer(header, PtpType::kDelayResp, received, requester);
}

PtpMessage make_pdelay_resp(const PtpHeader& header, PtpTime received, const PortIdentity& requester) {
  return make_answer(header, PtpType::kPdelayResp, received, requester);
}

PtpMessage make_pdelay_resp_follow_up(const PtpHeader& header, PtpTime sent, const PortIdentity& requester) {
  return make_answer(header, PtpType::kPdelayRespFollowUp, sent, requester);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_packet.h"

#include <algorithm>
#include <cstring>

#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::uint8_t kOptionVersion = 3;
constexpr std::uint16_t kTransparentEthernet = 0x6558;
constexpr std::byte kControlFlag{0x80};
constexpr std::byte kCriticalFlag{0x40};
constexpr std::uint8_t kCriticalType = 0x80;
constexpr std::uint16_t kLoose = 1;
constexpr std::uint16_t kPtp = 2;
constexpr std::uint16_t kToAll = 4;

// Offsets in our option, after its header.
constexpr std::size_t kVersionAt = 0;
constexpr std::size_t kKindAt = 1;
constexpr std::size_t kGatewayAt = 2;
constexpr std::size_t kDigestAt = 4;
constexpr std::size_t kEpochAt = 12;
constexpr std::size_t kSequenceAt = 20;
constexpr std::size_t kSentAt = 28;
constexpr std::size_t kInstantAt = 36;
constexpr std::size_t kSenderAt = 44;
constexpr std::size_t kReceiverAt = 46;
constexpr std::size_t kFlagsAt = 48;
constexpr std::size_t kOptionBody = kSiteOption - 4;
static_assert(kFlagsAt + 4 == kOptionBody);

WallTime wall_at(std::span<const std::byte> bytes, std::size_t offset) {
  return WallTime{Nanoseconds{load_be<std::int64_t>(bytes, offset)}};
}

void store_wall(std::span<std::byte> bytes, std::size_t offset, WallTime instant) {
  store_be(bytes, offset, instant.time_since_epoch().count());
}

ParsedSitePacket refused(SiteFault fault) {
  return {.fault = fault};
}

SitePacket read_option(std::span<const std::byte> body) {
  const auto flags = load_be<std::uint16_t>(body, kFlagsAt);
  return {.kind = static_cast<SitePacket::Kind>(body[kKindAt]),
          .gateway = load_be<std::uint16_t>(body, kGatewayAt),
          .digest = load_be<std::uint64_t>(body, kDigestAt),
          .epoch = load_be<std::uint64_t>(body, kEpochAt),
          .sequence = load_be<std::uint64_t>(body, kSequenceAt),
          .sent = wall_at(body, kSentAt),
          .instant = wall_at(body, kInstantAt),
          .sender = load_be<std::uint16_t>(body, kSenderAt),
          .receiver = load_be<std::uint16_t>(body, kReceiverAt),
          .loose = (flags & kLoose) != 0,
          .ptp = (flags & kPtp) != 0,
          .all = (flags & kToAll) != 0};
}

}  // namespace

std::uint32_t site_network(std::string_view name) {
  std::uint32_t hash = 0x811C9DC5;  // FNV-1a
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  }
  return (hash >> 8 ^ hash) & 0xffffff;
}

void write_site_header(const SitePacket& packet, std::uint32_t network, std::span<std::byte> to) {
  std::ranges::fill(to, std::byte{0});
  to[0] = static_cast<std::byte>((to.size() - kGeneveHeader) / 4);
  to[1] = kCriticalFlag | (packet.kind == SitePacket::Kind::kBeacon ? kControlFlag : std::byte{0});
  store_be(to, 2, kTransparentEthernet);
  store_be(to, 4, network << 8);
  const auto option = to.subspan(kGeneveHeader);
  store_be(option, 0, kSiteOptionClass);
  option[2] = static_cast<std::byte>(kSiteOptionType);
  option[3] = static_cast<std::byte>((option.size() - 4) / 4);
  const auto body = option.subspan(4);
  body[kVersionAt] = static_cast<std::byte>(kOptionVersion);
  body[kKindAt] = static_cast<std::byte>(packet.kind);
  store_be(body, kGatewayAt, packet.gateway);
  store_be(body, kDigestAt, packet.digest);
  store_be(body, kEpochAt, packet.epoch);
  store_be(body, kSequenceAt, packet.sequence);
  store_wall(body, kSentAt, packet.sent);
  store_wall(body, kInstantAt, packet.instant);
  store_be(body, kSenderAt, packet.sender);
  store_be(body, kReceiverAt, packet.receiver);
  store_be(
      body, kFlagsAt,
      static_cast<std::uint16_t>((packet.loose ? kLoose : 0) | (packet.ptp ? kPtp : 0) | (packet.all ? kToAll : 0)));
}

ParsedSitePacket parse_site_packet(std::span<const std::byte> datagram, std::uint32_t network) {
  if (datagram.size() < kGeneveHeader) {
    return refused(SiteFault::kTruncated);
  }
  const auto first = std::to_integer<std::uint8_t>(datagram[0]);
  if (first >> 6 != 0 || load_be<std::uint16_t>(datagram, 2) != kTransparentEthernet) {
    return refused(SiteFault::kNotGeneve);
  }
  const std::size_t options_end = kGeneveHeader + std::size_t{first} * 4;  // the version is 0
  if (datagram.size() < options_end) {
    return refused(SiteFault::kTruncated);
  }
  if (load_be<std::uint32_t>(datagram, 4) >> 8 != network) {
    return refused(SiteFault::kForeign);
  }
  std::size_t ours = 0;
  std::size_t proof = 0;
  for (std::size_t at = kGeneveHeader; at < options_end;) {
    if (options_end - at < 4) {
      return refused(SiteFault::kNotGeneve);
    }
    const std::size_t length = 4 + (std::to_integer<std::size_t>(datagram[at + 3]) & 0x1f) * 4;
    if (options_end - at < length) {
      return refused(SiteFault::kNotGeneve);
    }
    const auto type = std::to_integer<std::uint8_t>(datagram[at + 2]);
    if (load_be<std::uint16_t>(datagram, at) == kSiteOptionClass && type == kSiteOptionType) {
      if (ours != 0) {
        return refused(SiteFault::kNotGeneve);
      }
      if (length < 8 || datagram[at + 4 + kVersionAt] != static_cast<std::byte>(kOptionVersion)) {
        return refused(SiteFault::kVersion);
      }
      if (length != kSiteOption && length != kSiteOption + SiteKey::kProof) {
        return refused(SiteFault::kNotGeneve);
      }
      ours = at + 4;
      proof = length == kSiteOption ? 0 : at + kSiteOption;
    } else if ((type & kCriticalType) != 0) {
      return refused(SiteFault::kForeign);
    }
    at += length;
  }
  if (ours == 0) {
    return refused(SiteFault::kForeign);
  }
  const SitePacket packet = read_option(datagram.subspan(ours, kOptionBody));
  if (packet.kind > SitePacket::Kind::kRequest) {
    return refused(SiteFault::kVersion);
  }
  if (!is_sane(packet.sent) || !is_sane(packet.instant)) {
    return refused(SiteFault::kInstant);
  }
  return {.packet = packet, .payload = options_end, .proof = proof};
}

void BeaconWords::write(std::span<std::byte, kBytes> to) const {
  store_wall(to, 0, echo_sent);
  store_wall(to, 8, echo_heard);
  store_be(to, 16, files);
  store_wall(to, 24, decides_from);
  store_be(to, 32, request_way.count());
  std::memcpy(to.data() + 40, version.data(), kVersion);
}

std::optional<BeaconWords> BeaconWords::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kBytes) {
    return std::nullopt;
  }
  BeaconWords words{.echo_sent = wall_at(bytes, 0),
                    .echo_heard = wall_at(bytes, 8),
                    .files = load_be<std::uint64_t>(bytes, 16),
                    .decides_from = wall_at(bytes, 24),
                    .request_way = Nanoseconds{load_be<std::int64_t>(bytes, 32)},
                    .version = {}};
  std::memcpy(words.version.data(), bytes.data() + 40, kVersion);
  const bool sane = is_sane(words.echo_sent) && is_sane(words.echo_heard) && is_sane(words.decides_from) &&
                    is_sane(WallTime{words.request_way});
  return sane ? std::optional(words) : std::nullopt;
}

void BeaconWords::set_version(std::string_view text) {
  version.fill('\0');
  std::copy_n(text.begin(), std::min(text.size(), kVersion), version.begin());
}

std::string_view BeaconWords::version_text() const {
  const auto is_text = [](char c) { return c >= ' ' && c <= '~'; };
  const auto end = std::ranges::find_if_not(version, is_text);
  return {version.data(), static_cast<std::size_t>(end - version.begin())};
}

}  // namespace hilgate

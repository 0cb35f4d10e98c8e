// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/tunnel_peers.h"

#include <utility>

namespace hilgate {
namespace {

constexpr std::size_t kEthernetHeader = 14;

SiteRefusal refusal_of(SiteFault fault) {
  switch (fault) {
    case SiteFault::kForeign:
      return SiteRefusal::kForeign;
    case SiteFault::kVersion:
      return SiteRefusal::kVersion;
    case SiteFault::kInstant:
      return SiteRefusal::kInstant;
    default:
      return SiteRefusal::kMalformed;
  }
}

}  // namespace

TunnelPeers::TunnelPeers(SiteTerms terms, std::uint64_t epoch)
    : terms_(std::move(terms)),
      epoch_(epoch),
      network_(site_network(terms_.site)),
      digests_{terms_.digest, terms_.digest},
      peers_(terms_.gateways.size()),
      beacons_(terms_.gateways.size()) {}

// Robots of another configuration may be others: its frames are for nobody here.
std::optional<SiteRefusal> TunnelPeers::refusal(const ParsedSitePacket& parsed, const TunnelSocket::Datagram& datagram,
                                                const Peer::Moment& now) noexcept {
  if (parsed.fault != SiteFault::kNone) {
    return refusal_of(parsed.fault);
  }
  const SitePacket& packet = parsed.packet;
  if (packet.gateway >= peers_.size() || packet.gateway == terms_.own ||
      terms_.gateways[packet.gateway].ipv4 != datagram.ipv4 || terms_.gateways[packet.gateway].port != datagram.port) {
    return SiteRefusal::kSource;
  }
  const bool is_frame = packet.kind == SitePacket::Kind::kFrame;
  if (is_frame && !digests_.has(packet.digest)) {
    return SiteRefusal::kDigest;
  }
  if (is_frame && !fits(packet)) {
    return SiteRefusal::kRobot;
  }
  const auto payload = datagram.bytes.subspan(parsed.payload);
  if (is_frame ? payload.size() < kEthernetHeader : !BeaconWords::parse(payload)) {
    return SiteRefusal::kMalformed;  // before it begins a life of the gateway, or uses up a number
  }
  if (const auto refused = peers_[packet.gateway].hear(packet, now)) {
    return refused;
  }
  return is_frame && !peers_[packet.gateway].is_here() ? std::optional(SiteRefusal::kState) : std::nullopt;
}

bool TunnelPeers::fits(const SitePacket& packet) const noexcept {
  const auto& gateway_of = terms_.gateway_of;
  return packet.sender < gateway_of.size() && packet.receiver < gateway_of.size() &&
         gateway_of[packet.sender] == packet.gateway && gateway_of[packet.receiver] == terms_.own;
}

std::optional<TunnelPeers::Arrival> TunnelPeers::take(const TunnelSocket::Datagram& datagram,
                                                      const Peer::Moment& now) noexcept {
  const ParsedSitePacket parsed = parse_site_packet(datagram.bytes, network_);
  if (const auto refused = refusal(parsed, datagram, now)) {
    refuse(*refused);
    return std::nullopt;
  }
  Peer& peer = peers_[parsed.packet.gateway];
  const auto payload = datagram.bytes.subspan(parsed.payload);
  if (parsed.packet.kind == SitePacket::Kind::kFrame) {
    peer.report.way.add(now.wall - parsed.packet.sent);
    return Arrival{parsed.packet, payload};
  }
  if (const auto words = BeaconWords::parse(payload)) {
    peer.take_words(parsed.packet, *words, now);
    peer.report.way.add(now.wall - parsed.packet.sent);
  }
  return std::nullopt;
}

bool TunnelPeers::advance(TunnelSocket& socket, const Peer::Moment& now) noexcept {
  if (now.host < next_beacon_) {
    return false;
  }
  next_beacon_ = now.host + kBeaconEvery;
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (i != terms_.own) {
      peers_[i].judge(now.host, terms_, {.digests = digests_, .version = terms_.version, .zero = zero_});
    }
  }
  send_beacons(socket, now);
  return true;
}

void TunnelPeers::send_beacons(TunnelSocket& socket, const Peer::Moment& now) noexcept {
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (i == terms_.own) {
      continue;
    }
    BeaconWords words = peers_[i].echo();
    words.files = terms_.digest;
    words.set_version(terms_.version);
    auto& bytes = beacons_[i];
    write_header(i, {.kind = SitePacket::Kind::kBeacon, .sent = now.wall, .instant = zero_.value_or(WallTime{})},
                 std::span(bytes).first<kSiteHeader>());
    words.write(std::span(bytes).subspan<kSiteHeader>());
    const iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
    if (!socket.add(terms_.gateways[i], {&part, 1})) {
      socket.flush([](bool) {});
      static_cast<void>(socket.add(terms_.gateways[i], {&part, 1}));
    }
  }
  socket.flush([](bool) {});
}

void TunnelPeers::write_header(std::uint32_t gateway, SitePacket packet,
                               std::span<std::byte, kSiteHeader> to) noexcept {
  packet.gateway = static_cast<std::uint16_t>(terms_.own);
  packet.digest = digests_.now;
  packet.epoch = epoch_;
  packet.sequence = peers_[gateway].next_sequence();
  write_site_header(packet, network_, to);
}

}  // namespace hilgate

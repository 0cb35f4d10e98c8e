// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/tunnel_peers.h"

#include <algorithm>
#include <utility>

#include "frame/headers.h"

namespace hilgate {
namespace {

// What waits for a request longer than that at its own gateway has been lost there.
constexpr Nanoseconds kOldestRequest{1'000'000'000};

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

// Another configuration may have other robots: its frames have no receiver here.
std::optional<SiteRefusal> TunnelPeers::refusal(const ParsedSitePacket& parsed, const SiteSocket::Datagram& datagram,
                                                const Peer::Moment& now) noexcept {
  if (parsed.fault != SiteFault::kNone) {
    return refusal_of(parsed.fault);
  }
  const SitePacket& packet = parsed.packet;
  if (packet.gateway >= peers_.size() || packet.gateway == terms_.own ||
      terms_.gateways[packet.gateway].ipv4 != datagram.ipv4 || terms_.gateways[packet.gateway].port != datagram.port) {
    return SiteRefusal::kSource;
  }
  if (!is_proven(parsed, datagram.bytes)) {
    peers_[packet.gateway].note_unproven(now.host);
    return SiteRefusal::kProof;
  }
  const bool is_frame = packet.has_frame();
  if (is_frame && !digests_.has(packet.digest)) {
    return SiteRefusal::kDigest;
  }
  const bool is_request = packet.kind == SitePacket::Kind::kRequest;
  if (is_frame && !(is_request ? request_fits(packet) : fits(packet))) {
    return SiteRefusal::kRobot;
  }
  if (is_request && (packet.instant > packet.sent || packet.sent - packet.instant > kOldestRequest)) {
    return SiteRefusal::kInstant;
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

bool TunnelPeers::is_proven(const ParsedSitePacket& parsed, std::span<const std::byte> datagram) const noexcept {
  if (!terms_.key || parsed.proof == 0) {
    return !terms_.key && parsed.proof == 0;
  }
  const std::array<std::span<const std::byte>, 2> parts = {datagram.first(parsed.proof),
                                                           datagram.subspan(parsed.proof + SiteKey::kProof)};
  const SiteKey::Proof proof = terms_.key->proof(terms_.own, parts);
  return SiteKey::same(proof, datagram.subspan(parsed.proof).first<SiteKey::kProof>());
}

void TunnelPeers::prove(std::uint32_t gateway, std::span<const iovec> parts) const noexcept {
  if (!terms_.key) {
    return;
  }
  const auto first = std::span(static_cast<std::byte*>(parts[0].iov_base), parts[0].iov_len);
  std::array<std::span<const std::byte>, SiteSocket::kMostParts + 1> bytes = {first.first(kSiteHeader),
                                                                              first.subspan(kProvenHeader)};
  for (std::size_t i = 1; i < parts.size() && i + 1 < bytes.size(); ++i) {
    bytes[i + 1] = {static_cast<const std::byte*>(parts[i].iov_base), parts[i].iov_len};
  }
  const SiteKey::Proof proof = terms_.key->proof(gateway, std::span(bytes).first(parts.size() + 1));
  std::ranges::copy(proof, first.subspan(kSiteHeader).begin());
}

bool TunnelPeers::fits(const SitePacket& packet) const noexcept {
  const auto& gateway_of = terms_.gateway_of;
  return packet.sender < gateway_of.size() && packet.receiver < gateway_of.size() &&
         (gateway_of[packet.sender] == packet.gateway || terms_.media.may_decide(packet.gateway, packet.sender)) &&
         gateway_of[packet.receiver] == terms_.own;
}

bool TunnelPeers::request_fits(const SitePacket& packet) const noexcept {
  const auto& gateway_of = terms_.gateway_of;
  return packet.sender < gateway_of.size() && gateway_of[packet.sender] == packet.gateway &&
         terms_.media.may_decide(terms_.own, packet.sender) &&
         (packet.all || (packet.receiver < gateway_of.size() && packet.receiver != packet.sender));
}

std::optional<TunnelPeers::Arrival> TunnelPeers::take(const SiteSocket::Datagram& datagram,
                                                      const Peer::Moment& now) noexcept {
  const ParsedSitePacket parsed = parse_site_packet(datagram.bytes, network_);
  if (const auto refused = refusal(parsed, datagram, now)) {
    refuse(*refused);
    return std::nullopt;
  }
  Peer& peer = peers_[parsed.packet.gateway];
  const auto payload = datagram.bytes.subspan(parsed.payload);
  if (parsed.packet.has_frame()) {
    peer.report.way.add(now.wall - parsed.packet.sent);
    return Arrival{parsed.packet, payload};
  }
  if (const auto words = BeaconWords::parse(payload)) {
    peer.take_words(parsed.packet, *words, now);
    peer.report.way.add(now.wall - parsed.packet.sent);
  }
  return std::nullopt;
}

bool TunnelPeers::advance(SiteSocket& socket, const Peer::Moment& now) noexcept {
  if (now.host < next_beacon_) {
    return false;
  }
  next_beacon_ = now.host + kBeaconEvery;
  judge(now.host);
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (i == terms_.own) {
      continue;
    }
    const std::span<std::byte> bytes = beacon(i, now);
    const iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
    if (!socket.add(terms_.gateways[i], {&part, 1})) {
      socket.flush([](bool) {});
      static_cast<void>(socket.add(terms_.gateways[i], {&part, 1}));
    }
  }
  socket.flush([](bool) {});
  return true;
}

void TunnelPeers::judge(HostTime now) noexcept {
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (i != terms_.own) {
      peers_[i].judge(now, terms_, {.digests = digests_, .version = terms_.version, .zero = zero_});
    }
  }
}

std::span<std::byte> TunnelPeers::beacon(std::uint32_t gateway, const Peer::Moment& now) noexcept {
  BeaconWords words = peers_[gateway].echo();
  words.files = terms_.digest;
  words.decides_from = decides_from_.value_or(WallTime{});
  words.request_way = request_way_;
  words.set_version(terms_.version);
  const auto bytes = std::span(beacons_[gateway]).first(header_bytes() + BeaconWords::kBytes);
  write_header(gateway, {.kind = SitePacket::Kind::kBeacon, .sent = now.wall, .instant = zero_.value_or(WallTime{})},
               bytes.first(header_bytes()));
  words.write(bytes.last<BeaconWords::kBytes>());
  const iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
  prove(gateway, {&part, 1});
  return bytes;
}

void TunnelPeers::write_header(std::uint32_t gateway, SitePacket packet, std::span<std::byte> to) noexcept {
  packet.gateway = static_cast<std::uint16_t>(terms_.own);
  packet.digest = digests_.now;
  packet.epoch = epoch_;
  packet.sequence = peers_[gateway].next_sequence();
  write_site_header(packet, network_, to);
}

}  // namespace hilgate

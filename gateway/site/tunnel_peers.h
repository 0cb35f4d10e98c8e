// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "gateway/site/peer.h"
#include "gateway/site/site_meeting.h"
#include "gateway/site/site_packet.h"
#include "gateway/site/site_socket.h"
#include "path/site_report.h"

namespace hilgate {

/// The other gateways: which are there, what is taken from them, and the beacons to them. Belongs to one thread, which
/// need not be the control thread; allocates in the constructor alone.
class TunnelPeers {
 public:
  static constexpr Nanoseconds kBeaconEvery{100'000'000};

  /// `epoch`: when this gateway began, TAI ns.
  TunnelPeers(SiteTerms terms, std::uint64_t epoch);

  /// A frame that is to be released or decided, and its sender.
  struct Arrival {
    SitePacket packet;
    std::span<const std::byte> frame;
  };
  /// What a datagram is: a frame, or nothing when it was a beacon or is refused, which has been counted.
  std::optional<Arrival> take(const SiteSocket::Datagram& datagram, const Peer::Moment& now) noexcept;

  /// Beacons that are due are added to the socket. Judges which gateways are there. True when it was time for that.
  bool advance(SiteSocket& socket, const Peer::Moment& now) noexcept;
  /// The contents of a beacon to one of these; valid until the next.
  std::span<std::byte> beacon(std::uint32_t gateway, const Peer::Moment& now) noexcept;
  /// Of these, which gateways are there.
  void judge(HostTime now) noexcept;
  [[nodiscard]] HostTime next() const { return next_beacon_; }

  /// The headers of a frame for a gateway, which is not this one: header_bytes().
  void write_header(std::uint32_t gateway, SitePacket packet, std::span<std::byte> to) noexcept;
  [[nodiscard]] std::size_t header_bytes() const { return terms_.key ? kProvenHeader : kSiteHeader; }
  /// Into the headers for a gateway, the first of these parts, the proof of all; nothing without a key.
  void prove(std::uint32_t gateway, std::span<const iovec> parts) const noexcept;

  void set_zero(std::optional<WallTime> zero) noexcept { zero_ = zero; }
  /// What beacons announce of that (BeaconWords).
  void set_deciding(std::optional<WallTime> from, Nanoseconds request_way) noexcept {
    decides_from_ = from;
    request_way_ = request_way;
  }
  void set_digests(const SiteDigests& digests) noexcept { digests_ = digests; }
  void refuse(SiteRefusal why) noexcept { ++refused_[static_cast<std::size_t>(why)]; }

  [[nodiscard]] Peer& peer(std::uint32_t gateway) { return peers_[gateway]; }
  [[nodiscard]] const SiteTerms& terms() const { return terms_; }
  [[nodiscard]] const std::vector<Peer>& peers() const { return peers_; }
  [[nodiscard]] const auto& refused() const { return refused_; }

 private:
  static constexpr std::size_t kBeaconBytes = kProvenHeader + BeaconWords::kBytes;  // at most

  std::optional<SiteRefusal> refusal(const ParsedSitePacket& parsed, const SiteSocket::Datagram& datagram,
                                     const Peer::Moment& now) noexcept;
  [[nodiscard]] bool is_proven(const ParsedSitePacket& parsed, std::span<const std::byte> datagram) const noexcept;
  [[nodiscard]] bool fits(const SitePacket& packet) const noexcept;
  [[nodiscard]] bool request_fits(const SitePacket& packet) const noexcept;

  SiteTerms terms_;
  std::uint64_t epoch_;
  std::uint32_t network_;
  SiteDigests digests_;
  std::optional<WallTime> zero_;
  std::optional<WallTime> decides_from_;
  Nanoseconds request_way_{0};
  std::vector<Peer> peers_;  // by gateway, this one among them
  std::vector<std::array<std::byte, kBeaconBytes>> beacons_;
  std::array<std::uint64_t, static_cast<std::size_t>(SiteRefusal::kCount)> refused_{};
  HostTime next_beacon_{};
};

}  // namespace hilgate

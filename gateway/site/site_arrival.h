// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "clock/time.h"
#include "gateway/site/peer.h"
#include "gateway/site/site_meeting.h"
#include "gateway/site/site_socket.h"
#include "gateway/site/tunnel_peers.h"

namespace hilgate {

/// A gateway before it begins: it receives those that have begun, and lets the first in the configuration's order begin
/// where several come at a time. Lasts a second, and for gateways before this one in the order that are beginning up to
/// 5 s more.
class SiteArrival {
 public:
  /// `socket` is open at terms.gateways[terms.own].
  SiteArrival(const SiteTerms& terms, std::unique_ptr<SiteSocket> socket, HostTime now);

  /// Takes what has come and sends beacons that are due. True: it is over.
  bool advance(const Peer::Moment& now) noexcept;
  /// The site's simulation, once it is over; absent: this gateway begins it.
  [[nodiscard]] const std::optional<SiteBegun>& begun() const { return begun_; }
  /// When a beacon is due.
  [[nodiscard]] HostTime next() const { return peers_.next(); }
  [[nodiscard]] const SiteSocket& socket() const { return *socket_; }

 private:
  [[nodiscard]] bool is_alike(const Peer& peer) const;

  std::unique_ptr<SiteSocket> socket_;
  TunnelPeers peers_;
  HostTime since_;
  std::optional<SiteBegun> begun_;
};

/// Until that is over, by the clocks of this machine: SiteArrival::begun(). Throws std::runtime_error where the gateway
/// cannot have its address.
std::optional<SiteBegun> meet_site(const SiteTerms& terms);

}  // namespace hilgate

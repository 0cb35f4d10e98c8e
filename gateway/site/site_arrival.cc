// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_arrival.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "clock/host_now.h"
#include "clock/reference/local_sources.h"
#include "gateway/site/site_packet.h"
#include "gateway/site/tunnel_socket.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kListen = 1s;
// From its last beacon here to its first with a zero, a gateway opens its ports.
constexpr Nanoseconds kPatience = 5s;
// Older than that of any life of a gateway whose tunnel is there: its beacons here are forgotten then.
constexpr std::uint64_t kBeginningEpoch = 1;

}  // namespace

SiteArrival::SiteArrival(const SiteTerms& terms, std::unique_ptr<SiteSocket> socket, HostTime now)
    : socket_(std::move(socket)), peers_(terms, kBeginningEpoch), since_(now) {}

bool SiteArrival::is_alike(const Peer& peer) const {
  const SiteTerms& terms = peers_.terms();
  const BeaconWords said{.version = peer.report.version};
  return peer.files() == terms.digest &&
         said.version_text() == std::string_view(terms.version).substr(0, BeaconWords::kVersion);
}

bool SiteArrival::advance(const Peer::Moment& now) noexcept {
  for (const SiteSocket::Datagram& datagram : socket_->receive()) {
    static_cast<void>(peers_.take(datagram, now));
  }
  peers_.advance(*socket_, now);
  bool wait = now.host - since_ < kListen;
  for (std::uint32_t i = 0; i < peers_.peers().size(); ++i) {
    const Peer& peer = peers_.peers()[i];
    const auto beacon = peer.last_beacon();
    if (i == peers_.terms().own || !beacon || !is_alike(peer)) {
      continue;
    }
    if (peer.zero()) {
      begun_ = SiteBegun{.zero = *peer.zero(), .then = beacon->wall, .at = beacon->host};
      return true;
    }
    wait = wait || (i < peers_.terms().own && now.host - beacon->host < kPatience);
  }
  return !wait;
}

std::optional<SiteBegun> meet_site(const SiteTerms& terms) {
  SiteArrival arrival(terms, open_tunnel_socket(terms.gateways[terms.own]), host_now());
  const ReferenceSample clock = read_system_tai();
  for (HostTime now = host_now(); !arrival.advance({now, clock.wall + (now - clock.host)}); now = host_now()) {
    sleep_until(-1, arrival.socket().fd(), std::max<Nanoseconds>(arrival.next() - host_now(), 1ms));
  }
  return arrival.begun();
}

}  // namespace hilgate

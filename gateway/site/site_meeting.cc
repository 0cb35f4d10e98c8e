// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_meeting.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

#include "clock/host_now.h"
#include "clock/reference/local_sources.h"
#include "gateway/site/tunnel_peers.h"
#include "gateway/site/tunnel_socket.h"

namespace hilgate {

void SiteDigest::add_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  add(std::string(std::istreambuf_iterator<char>(in), {}));
}

namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kListen = 1s;
// From its last beacon here to its first with a zero, a gateway opens its ports.
constexpr Nanoseconds kPatience = 5s;
// Older than that of any life of a gateway whose tunnel is there: its beacons here are forgotten then.
constexpr std::uint64_t kBeginningEpoch = 1;

bool is_alike(const Peer& peer, const SiteTerms& terms) {
  const BeaconWords said{.version = peer.report.version};
  return peer.files() == terms.digest &&
         said.version_text() == std::string_view(terms.version).substr(0, BeaconWords::kVersion);
}

}  // namespace

std::optional<SiteBegun> meet_site(const SiteTerms& terms) {
  TunnelSocket socket(terms.gateways[terms.own]);
  TunnelPeers peers(terms, kBeginningEpoch);
  const HostTime began = host_now();
  const ReferenceSample clock = read_system_tai();
  for (HostTime now = began;; now = host_now()) {
    const Peer::Moment moment{now, clock.wall + (now - clock.host)};
    for (const TunnelSocket::Datagram& datagram : socket.receive()) {
      static_cast<void>(peers.take(datagram, moment));
    }
    peers.advance(socket, moment);
    bool wait = now - began < kListen;
    for (std::uint32_t i = 0; i < peers.peers().size(); ++i) {
      const Peer& peer = peers.peers()[i];
      const auto beacon = peer.last_beacon();
      if (i == terms.own || !beacon || !is_alike(peer, terms)) {
        continue;
      }
      if (peer.zero()) {
        return SiteBegun{.zero = *peer.zero(), .then = beacon->wall, .at = beacon->host};
      }
      wait = wait || (i < terms.own && now - beacon->host < kPatience);
    }
    if (!wait) {
      return std::nullopt;
    }
    sleep_until(-1, socket.fd(), std::max<Nanoseconds>(peers.next() - host_now(), 1ms));
  }
}

}  // namespace hilgate

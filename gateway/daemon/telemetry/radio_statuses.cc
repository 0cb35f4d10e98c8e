// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/telemetry/radio_statuses.h"

#include <algorithm>
#include <cmath>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::uint8_t kSikSystem = 51;     // '3'
constexpr std::uint8_t kSikComponent = 68;  // 'D'
constexpr auto kEvery = 1s;
constexpr auto kSilent = 10s;  // the peer is gone
constexpr std::uint8_t kUnknown = 255;

// Frames that bit errors took, or that arrived with some. The counter on the wire has 16 bits and wraps.
std::uint16_t errors_in(const LinkCounts& counts) {
  std::uint64_t sum = counts.damaged;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    sum += kDropReasonTable[i].air_error ? counts.dropped[i] : 0;
  }
  return static_cast<std::uint16_t>(sum);
}

std::uint8_t free_percent(const LinkCounts& out, std::uint32_t queue_frames) {
  if (queue_frames == 0) {
    return 100;
  }
  const std::uint64_t gone = out.released + out.dropped_total();
  const std::uint64_t waiting = out.deliveries > gone ? out.deliveries - gone : 0;
  const std::uint64_t room = queue_frames - std::min<std::uint64_t>(waiting, queue_frames);
  return static_cast<std::uint8_t>(100 * room / queue_frames);
}

}  // namespace

std::uint8_t sik_level(double dbm) {
  const double level = std::round((dbm + 127) * 1.9);
  return static_cast<std::uint8_t>(std::clamp(std::isfinite(level) ? level : 0, 0.0, 254.0));
}

mavlink::RadioStatus radio_status(const RadioPair& pair) {
  const auto power = [](const LinkReading& link) { return link.has_radio ? sik_level(link.rssi_dbm) : kUnknown; };
  const auto noise = [](const LinkReading& link) {
    return link.has_radio ? sik_level(link.rssi_dbm - link.snr_db) : kUnknown;
  };
  return {.rxerrors = errors_in(pair.in),
          .fixed = 0,  // the radio models do not say what their decoders repaired
          .rssi = power(pair.heard),
          .remrssi = power(pair.heard_there),
          .txbuf = free_percent(pair.out, pair.queue_frames),
          .noise = noise(pair.heard),
          .remnoise = noise(pair.heard_there)};
}

void RadioStatuses::note(RobotIndex from, RobotIndex to, const UdpEnds& ends, mavlink::Version version, HostTime at) {
  const auto update = [&](Peer& peer, const UdpEnds& towards) {
    peer.ends = towards;
    peer.version = version;
    peer.last_heard = at;
  };
  update(peers_[{to, from}], ends);
  update(peers_[{from, to}], ends.reversed());
}

bool RadioStatuses::is_due(const Peer& peer, HostTime now) {
  return now - peer.last_heard < kSilent && (peer.last_sent == HostTime{} || now - peer.last_sent >= kEvery);
}

std::vector<std::byte> RadioStatuses::frame_for(const Peer& peer) {
  return udp_frame(
      peer.ends,
      mavlink::write_radio_status(
          {.version = peer.version, .sequence = peer.sequence, .system = kSikSystem, .component = kSikComponent},
          peer.status));
}

}  // namespace hilgate

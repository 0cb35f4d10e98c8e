// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/peer.h"

#include <algorithm>
#include <chrono>

namespace hilgate {
namespace {

constexpr Nanoseconds kOldestEcho = std::chrono::seconds{10};
// No clock is farther ahead; a clock that is less far ahead is reported as apart.
constexpr Nanoseconds kFarthestEpoch = std::chrono::hours{1};
// Frames with a longer transit were held back, or are of no use.
constexpr Nanoseconds kOldestFrame = std::chrono::seconds{2};

Nanoseconds magnitude(Nanoseconds span) {
  return span < Nanoseconds{0} ? -span : span;
}

}  // namespace

void Peer::begin_anew(std::uint64_t epoch, std::uint64_t first) noexcept {
  epoch_ = epoch;
  first_ = first;
  window_ = {};
  clock_.forget();
  zero_.reset();
  decides_from_.reset();
  beacon_sent_ = beacon_heard_ = WallTime{};
  report.clock_offset.reset();
}

// A frame does not begin a new life of a peer: a beacon does, as it identifies the peer. Forged packets keep a peer out
// only while they arrive: once the peer is missing, its beacon counts whatever was received before.
std::optional<SiteRefusal> Peer::hear(const SitePacket& packet, const Moment& now) noexcept {
  if (packet.has_frame() && now.wall - packet.sent > kOldestFrame) {
    return SiteRefusal::kReplay;
  }
  const bool is_missing = report.state == PeerState::kMissing || report.state == PeerState::kOtherKey;
  if (epoch_ == 0 || packet.epoch != epoch_ || !window_.take(packet.sequence)) {
    const auto begun = WallTime{Nanoseconds{static_cast<std::int64_t>(packet.epoch)}};
    const bool may_begin = (packet.epoch > epoch_ || is_missing) && packet.kind == SitePacket::Kind::kBeacon &&
                           packet.sequence != 0 && is_sane(begun) && begun <= now.wall + kFarthestEpoch;
    if (!may_begin) {
      return packet.epoch == epoch_ ? SiteRefusal::kReplay : SiteRefusal::kEpoch;
    }
    begin_anew(packet.epoch, packet.sequence);
    window_.take(packet.sequence);
  }
  heard_ = now.host;
  report.digest = packet.digest;
  report.lost = window_.missing(first_);
  return std::nullopt;
}

void Peer::take_words(const SitePacket& packet, const BeaconWords& words, const Moment& now) noexcept {
  beacon_sent_ = packet.sent;
  beacon_heard_ = now.wall;
  beacon_at_ = now.host;
  zero_ = packet.instant == WallTime{} ? std::nullopt : std::optional(packet.instant);
  report.version = words.version;
  files_ = words.files;
  decides_from_ = words.decides_from == WallTime{} ? std::nullopt : std::optional(words.decides_from);
  report.request_way = words.request_way;
  if (words.echo_sent != WallTime{} && now.wall >= words.echo_sent && now.wall - words.echo_sent < kOldestEcho) {
    clock_.add(words.echo_sent, words.echo_heard, packet.sent, now.wall);
  }
}

void Peer::judge(HostTime now, const SiteTerms& terms, const Own& own) noexcept {
  report.clock_offset = clock_.offset();
  report.zero = zero_;
  report.silent = epoch_ == 0 ? Nanoseconds{0} : now - heard_;
  const BeaconWords said{.version = report.version};
  const bool is_heard = epoch_ != 0 && report.silent <= terms.silent_after;
  if (!is_heard && unproven_ && now - *unproven_ <= terms.silent_after) {
    report.state = PeerState::kOtherKey;
  } else if (epoch_ == 0) {
    report.state = PeerState::kAwaited;
  } else if (report.silent > terms.silent_after) {
    report.state = PeerState::kMissing;
  } else if (said.version_text() != own.version.substr(0, BeaconWords::kVersion)) {
    report.state = PeerState::kOtherVersion;
  } else if (!own.digests.has(report.digest)) {
    report.state = PeerState::kOtherConfiguration;
  } else if (report.clock_offset && magnitude(*report.clock_offset) > terms.clock_within) {
    report.state = PeerState::kClockApart;
  } else if (!zero_ || !own.zero || !report.clock_offset) {
    report.state = PeerState::kBeginning;
  } else if (magnitude(*zero_ - *own.zero) > terms.zero_within) {
    report.state = PeerState::kOtherZero;
  } else {
    report.state = PeerState::kHere;
  }
}

BeaconWords Peer::echo() const noexcept {
  return {.echo_sent = beacon_sent_, .echo_heard = beacon_heard_, .version = {}};
}

}  // namespace hilgate

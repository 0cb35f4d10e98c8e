// SPDX-License-Identifier: Apache-2.0
// Frames of shared media, or of a network simulator at some gateway, that are not decided yet: those that were captured
// here go to the gateway that decides, and those that come go to the core, which takes them as captured when they were
// there. A frame is counted where it is decided; one that does not get there counts here, as one delivery that was
// dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "clock/seqlock.h"
#include "clock/servo/window_clock.h"
#include "frame/headers.h"
#include "gateway/site/outgoing_batch.h"
#include "gateway/site/shared_media.h"
#include "gateway/site/site_meeting.h"
#include "gateway/site/site_socket.h"
#include "gateway/site/tunnel_peers.h"
#include "gateway/site/tunnel_tally.h"
#include "path/cores/crossings.h"

namespace hilgate {

/// Part of the tunnel, and its thread's.
template <FramePool Pool>
class TunnelRequests {
 public:
  /// The references must outlive it.
  TunnelRequests(const SiteTerms& terms, MediaDeciders& deciders, Pool& pool, Crossings& ends, TunnelTotals& totals)
      : terms_(terms), deciders_(deciders), pool_(pool), ends_(ends), totals_(totals) {
    way_seen_.store(way_);
  }

  // ---- who decides ----

  /// Takes the others as judged at `now`, and updates what this gateway announces.
  void look(TunnelPeers& peers, WallTime now, bool begun) noexcept {
    for (std::uint32_t i = 0; i < terms_.gateways.size(); ++i) {
      if (i != terms_.own) {
        deciders_.see(i, peers.peer(i).is_here(), peers.peer(i).decides_from(), now);
      }
    }
    if (begun) {
      deciders_.begin(now);
    }
    deciders_.choose(now);
    peers.set_deciding(deciders_.decides_from(), way_.quantile(0.99));
    way_seen_.store(way_);
  }
  /// When that changes unasked.
  void choose(WallTime now) noexcept {
    if (const auto next = deciders_.next(); next && *next <= now) {
      deciders_.choose(now);
    }
  }
  [[nodiscard]] HostTime next(const WallLine& line) const noexcept {
    const auto next = deciders_.next();
    return next ? line.when(*next) : HostTime::max();
  }

  // ---- to the gateways that decide ----

  /// Cores have left something for the tunnel, decided or not.
  [[nodiscard]] bool waiting() const noexcept { return any_waiting(ends_.from) || any_waiting(ends_.air_from); }
  /// At most a batch from each core, into `batch`, which flush() sends.
  template <class Flush>
  bool send(HostTime now, const WallLine& line, TunnelPeers& peers, OutgoingBatch<Pool>& batch, Flush flush) noexcept {
    bool any = false;
    for (AirRing* ring : ends_.air_from) {
      for (std::size_t i = 0; i < SiteSocket::kBatch && ring->front() != nullptr; ++i) {
        any = true;
        request(*ring->front(), now, line, peers, batch);
        ring->drop_front();
        if (batch.full()) {
          flush();
        }
      }
      flush();
    }
    return any;
  }
  /// What became of one that was put into the batch.
  void sent(const Frame& frame, bool taken) noexcept {
    if (!taken) {
      return drop(frame, DropReason::kTxFull);
    }
    ++totals_.requests_out;
    pool_.free(frame);
  }

  // ---- from other gateways ----

  /// To the core, or refused.
  void take(const TunnelPeers::Arrival& arrival, const Peer::Moment& now, const WallLine& line,
            TunnelPeers& peers) noexcept {
    const SitePacket& packet = arrival.packet;
    const auto ethernet = parse_ethernet(arrival.frame);
    if (!ethernet) {
      return peers.refuse(SiteRefusal::kMalformed);
    }
    auto frame = pool_.make(arrival.frame);
    if (!frame) {
      return peers.refuse(SiteRefusal::kNoBuffer);
    }
    std::memset(pool_.note(*frame), 0, kNoteBytes);  // an earlier frame's note may be there
    frame->arrived = std::min(line.when(packet.instant), now.host);
    way_.add(now.host - frame->arrived);
    ++totals_.requests_in;
    hand_on({.frame = *frame,
             .from = RobotSlot{packet.sender},
             .to = RobotSlot{packet.all ? packet.sender : packet.receiver},
             .payload = ethernet->payload,
             .group = packet.all || ethernet->destination.is_group(),
             .alone = !packet.all});
  }

  /// What others read of the time from capture until requests came here.
  [[nodiscard]] DurationHistogram way() const { return way_seen_.load(); }

  /// Wakes the cores for which the tunnel has left something, decided or not.
  void announce() noexcept {
    for (CrossingRing* ring : ends_.to) {
      ring->announce();
    }
    for (AirRing* ring : ends_.air_to) {
      ring->announce();
    }
  }
  void drain() noexcept {
    AirCrossing crossing;
    for (AirRing* ring : ends_.air_from) {
      while (ring->pop(crossing)) {
        drop(crossing.frame, DropReason::kShutdown);
      }
    }
  }

 private:
  void request(const AirCrossing& crossing, HostTime now, const WallLine& line, TunnelPeers& peers,
               OutgoingBatch<Pool>& batch) noexcept {
    const std::uint32_t medium = deciders_.media().of(crossing.from.value());
    const std::uint32_t gateway = medium == SharedMedia::kNone ? terms_.own : deciders_.decider(medium);
    if (gateway == terms_.own) {
      return hand_on(crossing);  // since it was left here
    }
    if (gateway == SharedMedia::kNone) {
      return drop(crossing.frame, DropReason::kVerdictMissing);
    }
    if (!peers.peer(gateway).is_here()) {
      return drop(crossing.frame, DropReason::kUnreachableGateway);
    }
    peers.write_header(gateway,
                       {.kind = SitePacket::Kind::kRequest,
                        .sent = line.at(now),
                        .instant = line.at(std::min(crossing.frame.arrived, now)),
                        .sender = static_cast<std::uint16_t>(crossing.from.value()),
                        .receiver = static_cast<std::uint16_t>(crossing.to.value()),
                        .all = !crossing.alone},
                       batch.next_header(peers));
    if (!batch.add_request(crossing.frame, gateway, peers)) {
      drop(crossing.frame, DropReason::kTxFull);
    }
  }

  void hand_on(const AirCrossing& crossing) noexcept {
    if (!ends_.air_to.front()->push(crossing)) {
      drop(crossing.frame, DropReason::kCrossingFull);
    }
  }

  void drop(const Frame& frame, DropReason reason) noexcept {
    ++totals_.deliveries;
    ++totals_.dropped[static_cast<std::size_t>(reason)];
    pool_.free(frame);
  }

  const SiteTerms& terms_;
  MediaDeciders& deciders_;
  Pool& pool_;
  Crossings& ends_;
  TunnelTotals& totals_;
  DurationHistogram way_;
  Seqlock<DurationHistogram> way_seen_;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// The thread of the tunnels to the other gateways of a site. For the cores it is one core more: deliveries to robots at
// other gateways cross to it, with their fates and release times, and continue over UDP; what arrives from there
// crosses to the core of its receiver's port, which holds and releases it as if a core of its own had decided.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "clock/seqlock.h"
#include "clock/servo/window_clock.h"
#include "clock/tsc_clock.h"
#include "frame/counters.h"
#include "frame/frame.h"
#include "gateway/site/outgoing_batch.h"
#include "gateway/site/site_meeting.h"
#include "gateway/site/site_socket.h"
#include "gateway/site/tunnel_peers.h"
#include "gateway/site/tunnel_requests.h"
#include "gateway/site/tunnel_socket.h"
#include "gateway/site/tunnel_tally.h"
#include "host/loop_waker.h"
#include "host/process.h"
#include "path/cores/crossings.h"
#include "path/site_report.h"

namespace hilgate {

/// Made, started, stopped and asked by the control thread.
template <FramePool Pool>
class Tunnel {
 public:
  /// `slots`: robots that links are counted by; a robot's index in the configuration is its slot. `pool` gives memory
  /// to this thread alone. `ends` are those of the group that the tunnel is for the cores, and by robots instead of
  /// ports, of which it has none; `deciders` of terms.media; `socket` is open at terms.gateways[terms.own].
  /// All must outlive it.
  Tunnel(const SiteTerms& terms, std::size_t slots, Pool& pool, Crossings ends, MediaDeciders& deciders,
         const TscClock& tsc, std::unique_ptr<SiteSocket> socket)
      : terms_(terms),
        slots_(slots),
        pool_(pool),
        ends_(std::move(ends)),
        tsc_(tsc),
        socket_(std::move(socket)),
        batch_(pool, *socket_),
        requests_(terms_, deciders, pool, ends_, totals_),
        links_(terms.here, slots),
        reports_(terms.gateways.size()) {
    digests_.store({terms.digest, terms.digest});
  }
  ~Tunnel() { stop(); }
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  /// `wall` outlives the thread.
  void start(const WindowClock& wall) {
    begin(tsc_.now(), wall);
    thread_ = std::jthread([this, &wall](const std::stop_token& stop) { run(stop, wall); });
    pthread_setname_np(thread_.native_handle(), "hilgate-site");
  }
  /// One iteration on the caller's thread, by its clock, instead of start().
  template <class Clock>
  void iterate(Clock& clock, const WindowClock& wall) noexcept {
    if (!peers_) {
      begin(clock.now(), wall);
    }
    turn(clock, wall);
  }
  /// Idempotent. What is still in the rings is dropped as kShutdown.
  void stop() {
    if (thread_.joinable()) {
      thread_.request_stop();
      waker_.wake();
      thread_.join();
    }
    drain();
  }
  /// When simulation time was 0; nothing while it has not begun, or stands. Any thread.
  void set_zero(std::optional<WallTime> zero) {
    zero_.store(zero ? zero->time_since_epoch().count() : 0, std::memory_order_relaxed);
  }

  /// From now on. Control thread.
  void set_digests(const SiteDigests& digests) { digests_.store(digests); }

  [[nodiscard]] const SiteTerms& terms() const { return terms_; }
  [[nodiscard]] SiteDigests digests() const { return digests_.load(); }
  [[nodiscard]] LoopWaker& waker() { return waker_; }
  [[nodiscard]] TunnelTotals totals() const { return totals_seen_.load(); }
  void add_to(LinkSlot link, LinkCounts& counts) const { links_.add_to(link, counts); }
  [[nodiscard]] DurationHistogram request_way() const { return requests_.way(); }
  [[nodiscard]] PeerReport report(std::uint32_t gateway) const { return reports_.of(gateway); }
  [[nodiscard]] std::uint64_t refused(SiteRefusal why) const { return reports_.refused(why); }
  [[nodiscard]] std::size_t bytes() const { return batch_.bytes() + links_.bytes(); }

 private:
  static constexpr Nanoseconds kLinger{50'000};               // as a packet loop polls on (idle_wait.h)
  static constexpr Nanoseconds kFarthest{3'600'000'000'000};  // release times, from now

  void begin(HostTime now, const WindowClock& wall) {
    peers_.emplace(terms_, static_cast<std::uint64_t>(wall.plan().wall(now).time_since_epoch().count()));
  }

  void run(const std::stop_token& stop, const WindowClock& wall) noexcept {
    leave_signals_to_others();
    TscReader clock(tsc_);
    HostTime quiet_since = clock.now();
    while (!stop.stop_requested()) {
      const HostTime now = clock.now();
      quiet_since = turn(clock, wall) ? now : quiet_since;
      if (now - quiet_since > kLinger) {
        waker_.announce();
        if (!stop.stop_requested() && !requests_.waiting()) {
          const HostTime next = std::min(peers_->next(), requests_.next(line_));
          sleep_until(waker_.fd(), socket_->fd(), next - clock.now());
        }
        waker_.withdraw();
      }
    }
  }

  // False: no frame came or went.
  template <class Clock>
  bool turn(Clock& clock, const WindowClock& wall) noexcept {
    const HostTime now = clock.now();
    line_ = wall.plan().line_at(now);
    peers_->set_digests(digests_.load());
    requests_.choose(line_.at(now));
    const bool sent = send(now);
    const bool received = receive(clock.now());
    beacon(clock.now());
    return sent || received;
  }

  void beacon(HostTime now) noexcept {
    const std::int64_t zero = zero_.load(std::memory_order_relaxed);
    peers_->set_zero(zero == 0 ? std::nullopt : std::optional(WallTime{Nanoseconds{zero}}));
    if (peers_->advance(*socket_, {now, line_.at(now)})) {
      requests_.look(*peers_, line_.at(now), zero != 0);
      reports_.store(*peers_);
    }
  }

  // ---- to other gateways ----

  bool send(HostTime now) noexcept {
    bool any = false;
    for (CrossingRing* ring : ends_.from) {
      const std::size_t taken = ring->take(
          SiteSocket::kBatch, [&](const HeldFrame& held, const DamageNote* note) { forward(held, note, now); });
      totals_.crossed_in += taken;
      any = any || taken > 0;
      flush();
    }
    any = requests_.send(now, line_, *peers_, batch_, [this] { flush(); }) || any;
    if (any) {
      totals_seen_.store(totals_);
    }
    return any;
  }

  void forward(const HeldFrame& held, const DamageNote* note, HostTime now) noexcept {
    const auto sender = static_cast<std::uint32_t>(held.link.value() / slots_);
    const auto receiver = static_cast<std::uint32_t>(held.link.value() % slots_);
    const std::uint32_t gateway = receiver < terms_.gateway_of.size() ? terms_.gateway_of[receiver] : terms_.own;
    if (gateway == terms_.own || !peers_->peer(gateway).is_here()) {
      return drop(held, DropReason::kUnreachableGateway);
    }
    peers_->write_header(gateway,
                         {.sent = line_.at(now),
                          .instant = line_.at(held.due),
                          .sender = static_cast<std::uint16_t>(sender),
                          .receiver = static_cast<std::uint16_t>(receiver),
                          .loose = held.loose,
                          .ptp = held.ptp},
                         batch_.next_header(*peers_));
    if (!batch_.add(held, note, gateway, *peers_)) {
      return drop(held, DropReason::kTxFull);
    }
    if (note != nullptr) {
      ++totals_.damaged;
      links_[held.link.value()].damaged.add();
    }
    if (batch_.full()) {
      flush();
    }
  }

  void flush() noexcept {
    batch_.flush([this](const auto& item, bool taken) {
      if (item.request) {
        return requests_.sent(item.held.frame(), taken);
      }
      if (!taken) {
        return drop(item.held, DropReason::kTxFull);
      }
      ++totals_.site_out;
      ++peers_->peer(item.gateway).report.sent;
      links_[item.held.link.value()].out.add();
      pool_.free(item.held.frame());
    });
  }

  // ---- from other gateways ----

  bool receive(HostTime now) noexcept {
    const auto datagrams = socket_->receive();
    const Peer::Moment moment{now, line_.at(now)};
    for (const SiteSocket::Datagram& datagram : datagrams) {
      if (const auto arrival = peers_->take(datagram, moment)) {
        hand_on(*arrival, moment);
      }
    }
    requests_.announce();
    if (!datagrams.empty()) {
      totals_seen_.store(totals_);
    }
    return !datagrams.empty();
  }

  void hand_on(const TunnelPeers::Arrival& arrival, const Peer::Moment& now) noexcept {
    const SitePacket& packet = arrival.packet;
    if (packet.kind == SitePacket::Kind::kRequest) {
      return requests_.take(arrival, now, line_, *peers_);
    }
    if (packet.instant > now.wall + kFarthest || packet.instant < now.wall - kFarthest) {
      return peers_->refuse(SiteRefusal::kInstant);
    }
    const auto frame = pool_.make(arrival.frame);
    if (!frame) {
      return peers_->refuse(SiteRefusal::kNoBuffer);
    }
    std::memset(pool_.note(*frame), 0, kNoteBytes);  // an earlier frame's note may be there
    PeerReport& report = peers_->peer(packet.gateway).report;
    ++report.received;
    HostTime due = line_.when(packet.instant);
    if (due < now.host && !packet.ptp) {
      ++report.late;
      report.late_by.add(now.host - due);
      due = now.host;
    }
    const LinkSlot link = link_of(RobotSlot{packet.sender}, RobotSlot{packet.receiver}, slots_);
    HeldFrame held = HeldFrame::of(*frame, link, due);
    held.loose = packet.loose;
    held.ptp = packet.ptp;
    ++totals_.site_in;
    links_[link.value()].in.add();
    CrossingRing* const to_core = ends_.to_port[packet.receiver];  // TunnelPeers has seen that the robot is here
    if (!to_core->push(held)) {
      return drop(held, DropReason::kCrossingFull);
    }
    ++totals_.crossed_out;
  }

  void drop(const HeldFrame& held, DropReason reason) noexcept {
    ++totals_.dropped[static_cast<std::size_t>(reason)];
    links_[held.link.value()].dropped[static_cast<std::size_t>(reason)].add();
    pool_.free(held.frame());
  }

  // Cores have stopped, too, or are about to: what they still put there is theirs to drop.
  void drain() noexcept {
    for (CrossingRing* ring : ends_.from) {
      totals_.crossed_in +=
          ring->take(std::numeric_limits<std::size_t>::max(),
                     [this](const HeldFrame& held, const DamageNote*) { drop(held, DropReason::kShutdown); });
    }
    requests_.drain();
    totals_seen_.store(totals_);
  }

  const SiteTerms terms_;
  const std::size_t slots_;
  Pool& pool_;
  Crossings ends_;
  const TscClock& tsc_;
  LoopWaker waker_;
  std::atomic<std::int64_t> zero_{0};  // TAI ns
  Seqlock<SiteDigests> digests_;

  // The thread's.
  std::unique_ptr<SiteSocket> socket_;
  std::optional<TunnelPeers> peers_;
  WallLine line_;
  OutgoingBatch<Pool> batch_;
  TunnelTotals totals_;
  TunnelRequests<Pool> requests_;

  // What others read.
  TunnelTally links_;
  Seqlock<TunnelTotals> totals_seen_;
  TunnelReports reports_;
  std::jthread thread_;
};

}  // namespace hilgate

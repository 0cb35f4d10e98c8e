// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "clock/seqlock.h"
#include "frame/counters.h"
#include "frame/drop_reason.h"
#include "gateway/site/tunnel_peers.h"
#include "netsim_link/link_state.h"
#include "path/link_tally.h"
#include "path/site_report.h"

namespace hilgate {

/// What the tunnels have counted, at the end of some iteration. Plain data.
struct TunnelTotals {
  std::uint64_t crossed_in = 0;   // from cores
  std::uint64_t crossed_out = 0;  // to cores
  std::uint64_t site_out = 0;
  std::uint64_t site_in = 0;
  std::uint64_t requests_out = 0;
  std::uint64_t requests_in = 0;
  std::uint64_t deliveries = 0;  // frames that were to be decided elsewhere and did not get there: dropped
  std::uint64_t damaged = 0;
  std::array<std::uint64_t, kDropReasons> dropped{};
};

/// Of one link, read while the thread runs.
struct TunnelLinkCounters {
  Counter out, in, damaged;
  std::array<Counter, kDropReasons> dropped;

  void add_to(LinkCounts& counts) const {
    counts.site_out += out.get();
    counts.site_in += in.get();
    counts.damaged += damaged.get();
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      counts.dropped[i] += dropped[i].get();
    }
  }
};

/// What the tunnel's thread knows of other gateways, for other threads.
class TunnelReports {
 public:
  explicit TunnelReports(std::size_t gateways)
      : gateways_(gateways), reports_(std::make_unique<Seqlock<PeerReport>[]>(gateways)) {}

  /// The tunnel's thread.
  void store(TunnelPeers& peers) noexcept {
    for (std::uint32_t i = 0; i < gateways_; ++i) {
      reports_[i].store(peers.peer(i).report);
    }
    for (std::size_t i = 0; i < refused_.size(); ++i) {
      refused_[i].store(peers.refused()[i], std::memory_order_relaxed);
    }
  }

  [[nodiscard]] PeerReport of(std::uint32_t gateway) const { return reports_[gateway].load(); }
  [[nodiscard]] std::uint64_t refused(SiteRefusal why) const {
    return refused_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }

 private:
  std::size_t gateways_;
  std::unique_ptr<Seqlock<PeerReport>[]> reports_;
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(SiteRefusal::kCount)> refused_{};
};

/// What the tunnels count of links, by LinkSlot. A link with no end here has no frame in them: there are rows for
/// robots that are here alone, one as they send and one as they receive.
class TunnelTally {
 public:
  /// `here` by slot, as of robots_here(): empty, all are; else those past its end are not.
  TunnelTally(const std::vector<bool>& here, std::size_t slots)
      : TunnelTally(Slots{slots}, here.empty() ? std::vector<bool>(slots, true) : here) {}

  [[nodiscard]] TunnelLinkCounters& operator[](std::size_t link) { return tally_[place(link)]; }
  void add_to(LinkSlot link, LinkCounts& counts) const {
    if (const std::size_t at = place(link.value()); at + 1 < tally_.all().size()) {
      tally_.all()[at].add_to(counts);
    }
  }
  [[nodiscard]] std::size_t bytes() const { return tally_.bytes(); }

 private:
  struct Slots {
    std::size_t count;
  };
  TunnelTally(Slots slots, const std::vector<bool>& here)
      : slots_(slots.count), rows_(rows_of(here, slots_)), tally_(2 * count(here, slots_) * slots_ + 1) {}

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  static std::size_t count(const std::vector<bool>& here, std::size_t slots) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < slots && i < here.size(); ++i) {
      sum += here[i] ? 1 : 0;
    }
    return sum;
  }
  static std::vector<std::uint32_t> rows_of(const std::vector<bool>& here, std::size_t slots) {
    std::vector<std::uint32_t> rows(slots, kNone);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < slots && i < here.size(); ++i) {
      rows[i] = here[i] ? next++ : kNone;
    }
    return rows;
  }
  // A link without a row counts in the last one, which is not read.
  [[nodiscard]] std::size_t place(std::size_t link) const {
    const std::size_t sender = link / slots_;
    const std::size_t receiver = link % slots_;
    const std::size_t half = tally_.all().size() / 2;
    return rows_[sender] != kNone     ? rows_[sender] * slots_ + receiver
           : rows_[receiver] != kNone ? half + rows_[receiver] * slots_ + sender
                                      : 2 * half;
  }

  std::size_t slots_;
  std::vector<std::uint32_t> rows_;  // by slot
  TallyOf<TunnelLinkCounters> tally_;
};

}  // namespace hilgate

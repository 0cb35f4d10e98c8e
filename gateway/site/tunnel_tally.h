// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "frame/counters.h"
#include "gateway/site/tunnel_counts.h"
#include "netsim_link/link_state.h"
#include "path/link_tally.h"

namespace hilgate {

/// What the tunnels count of links, by LinkId. A link with no end here has no frame in them: there are rows for robots
/// that are here alone, one as they send and one as they receive.
class TunnelTally {
 public:
  /// `here` by slot, as of robots_here(): empty, all are; else those behind its end are not.
  TunnelTally(const std::vector<bool>& here, std::size_t slots)
      : TunnelTally(Slots{slots}, here.empty() ? std::vector<bool>(slots, true) : here) {}

  [[nodiscard]] TunnelLinkCounters& operator[](std::size_t link) { return tally_[place(link)]; }
  void add_to(LinkId link, LinkCounts& counts) const {
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
  // Of a link that has no row the last, which is nobody's.
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

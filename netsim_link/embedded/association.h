// SPDX-License-Identifier: Apache-2.0
// Infrastructure mode: which access point each station is at (IEEE 802.11-2020, 4.5.3 association, 11.1.4 scanning,
// 11.3.5 reassociation), and when it is at none.
//
// A station averages the power of the beacons it receives, one each interval, as Linux' mac80211 does: new = old +
// (beacon - old) / 4. It looks for another access point when the average of its own has fallen below `scan_below`, and
// goes to one that is `hysteresis` stronger; or when as many beacons in a row as mac80211 waits for (7) were below its
// sensitivity. Then it scans, authenticates and reassociates for `outage`: break before make. At the end it joins the
// access point that is strongest at that time. Out of range of all, it keeps scanning, and association with the first
// one found takes `outage` too. Stations are associated when the run begins. All this is in simulated time, and without
// a random draw.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "config/units.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// How stations choose. The default of `hysteresis` is what Apple's telephones ask for while they send (8 dB), that of
/// `outage` lies in the 60 ms to 400 ms that Mishra, Shin and Arbaugh measured ("An Empirical Analysis of the IEEE
/// 802.11 MAC Layer Handoff Process", 2003); that of `beacon` is 100 time units of 1024 us.
struct Roaming {
  Decibels hysteresis{8};           // [0, 100]
  std::optional<Dbm> scan_below{};  // of the own access point; absent: always
  Nanoseconds outage{200'000'000};  // [1ms, 60s]
  Nanoseconds beacon{102'400'000};  // [1ms, 10s]
  std::uint32_t missed = 7;         // beacons in a row, [1, 1000]: then the access point is lost
};

/// Control thread.
class Association {
 public:
  /// `roles` by number in the tables; `attachments` likewise, of robots that are wired.
  Association(const Roaming& rules, std::vector<AirRole> roles, std::vector<Attachment> attachments);

  /// Advances to `table.at`, using the powers and reach in the table's links, and writes the attachments. A second call
  /// for the same instant changes nothing.
  void update(LinkTable& table);

 private:
  struct Heard {
    Dbm power{};               // average
    std::uint32_t missed = 0;  // beacons in a row
    bool known = false;
  };
  struct Station {
    std::uint32_t number = 0;
    std::vector<Heard> heard;  // by index in access_points_
    SimTime until{};           // roaming: its end
  };
  void hear(const LinkTable& table, Station& station, std::uint64_t beacons) const;
  void decide(Station& station, SimTime at, bool first);
  [[nodiscard]] bool leaves(const Station& station) const;
  /// Index in access_points_ of the strongest access point; access_points_.size() when none is received.
  [[nodiscard]] std::size_t best(const Station& station) const;

  Roaming rules_;
  std::vector<Attachment> attachments_;       // by number
  std::vector<std::uint32_t> access_points_;  // numbers
  std::vector<Station> stations_;
  SimTime at_{};
  std::int64_t beacons_ = -1;  // intervals passed; -1: no beacon yet
};

}  // namespace hilgate

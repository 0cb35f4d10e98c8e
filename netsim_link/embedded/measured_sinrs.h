// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "config/units.h"
#include "netsim_link/link_state.h"
#include "netsim_link/trace/trace_schedule.h"

namespace hilgate {

/// The SINRs of links that have a trace of them, or of CQIs, instead of what powers and losses give. They hold as they
/// are at the beginning of each window.
class MeasuredSinrs {
 public:
  /// `by_cqi`: the SINR that stands for each CQI. `links`: how many links there are. A later trace of the same link
  /// wins.
  void add(LinkIndex link, std::size_t links, std::shared_ptr<const TraceSchedule> trace,
           const std::array<Decibels, 16>& by_cqi);
  [[nodiscard]] bool any() const { return !traces_.empty(); }

  /// Simulated time is `at` now.
  void play(SimTime at);
  /// Of `link` at that time; empty where it has no trace, or one that is over and clear.
  [[nodiscard]] std::optional<Decibels> of(std::size_t link) const {
    return sinr_db_.empty() || std::isnan(sinr_db_[link]) ? std::nullopt : std::make_optional(Decibels{sinr_db_[link]});
  }

 private:
  struct LinkTrace {
    std::size_t link = 0;
    std::shared_ptr<const TraceSchedule> schedule;
    std::array<Decibels, 16> by_cqi;
    std::uint32_t hint = 0;  // of the schedule
  };
  static double sinr_db(LinkTrace& trace, Nanoseconds since_start);

  std::vector<LinkTrace> traces_;
  std::vector<double> sinr_db_;  // by LinkIndex, no number where it is not measured; empty: nowhere
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "frame/counters.h"

#include <algorithm>

namespace hilgate {

void PathTotals::add(const PathTotals& other) {
  frames_captured += other.frames_captured;
  bytes_captured += other.bytes_captured;
  deliveries += other.deliveries;
  injected += other.injected;
  released += other.released;
  bytes_released += other.bytes_released;
  crossed_out += other.crossed_out;
  crossed_in += other.crossed_in;
  site_out += other.site_out;
  site_in += other.site_in;
  requests_out += other.requests_out;
  requests_in += other.requests_in;
  held += other.held;
  held_most += other.held_most;
  damaged += other.damaged;
  duplicated += other.duplicated;
  marked += other.marked;
  ecn_marked += other.ecn_marked;
  iterations += other.iterations;
  longest_iteration_ns = std::max(longest_iteration_ns, other.longest_iteration_ns);
  windows = std::max(windows, other.windows);  // of all cores the same
  changes = std::max(changes, other.changes);  // of all cores the same
  copies += other.copies;
  copies_refused += other.copies_refused;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    dropped[i] += other.dropped[i];
  }
  ptp_passed += other.ptp_passed;
  ptp_residence.add(other.ptp_residence);
  asked_late.add(other.asked_late);
  release_error.add(other.release_error);
}

void PathTotals::settle_crossings() {
  if (crossed_out >= crossed_in) {  // the other way round, one core was asked before the other had sent
    held += crossed_out - crossed_in;
    crossed_out = crossed_in = 0;
  }
}

void LinkCounts::subtract(const LinkCounts& before) {
  deliveries -= before.deliveries;
  released -= before.released;
  bytes_released -= before.bytes_released;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    dropped[i] -= before.dropped[i];
  }
  damaged -= before.damaged;
  duplicated -= before.duplicated;
  marked -= before.marked;
  ecn_marked -= before.ecn_marked;
  failed_tries -= before.failed_tries;
  site_out -= before.site_out;
  site_in -= before.site_in;
  timed -= before.timed;
  delay_ns -= before.delay_ns;
  queued -= before.queued;
  unqueued -= before.unqueued;
}

}  // namespace hilgate

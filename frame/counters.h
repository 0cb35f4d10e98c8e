// SPDX-License-Identifier: Apache-2.0
// What the frame path counts.
//
// The unit is the delivery: one frame to one receiver. A multicast frame to three receivers makes three deliveries,
// a frame without any receiver makes one, which is dropped. At the end of every iteration of the loop
//   deliveries + injected + crossed in + site in = released + sum(dropped) + held + crossed out + site out
// holds exactly of each core's path, and without the crossings of a gateway on one core; `balanced()` checks it for a
// snapshot.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/duration_histogram.h"

namespace hilgate {

/// A number one thread adds to and others read: an ordinary add for the writer, never torn for a reader.
class Counter {
 public:
  Counter() = default;
  Counter(const Counter& other) : value_(other.get()) {}
  Counter& operator=(const Counter& other) {
    value_.store(other.get(), std::memory_order_relaxed);
    return *this;
  }
  void add(std::uint64_t amount = 1) { value_.store(get() + amount, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Sums over the whole path. Plain data, written by the loop, copied out at the end of an iteration.
struct PathTotals {
  std::uint64_t frames_captured = 0;
  std::uint64_t bytes_captured = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t injected = 0;  // frames of the gateway's own, of no link
  std::uint64_t released = 0;
  std::uint64_t bytes_released = 0;
  std::array<std::uint64_t, kDropReasons> dropped{};
  std::uint64_t crossed_out = 0;   // handed to another core's path
  std::uint64_t crossed_in = 0;    // taken from another core's path
  std::uint64_t site_out = 0;      // sent to other gateways of the site
  std::uint64_t site_in = 0;       // taken from other gateways of the site
  std::uint64_t requests_out = 0;  // frames, sent to the gateways of the site that decide them: deliveries there
  std::uint64_t requests_in = 0;   // frames, come from other gateways of the site to be decided: deliveries here
  std::uint64_t held = 0;          // now
  std::uint64_t held_most = 0;     // high-water mark
  std::uint64_t damaged = 0;       // bits were flipped, also when no port took them then
  std::uint64_t duplicated = 0;    // deliveries that the link's duplication added
  std::uint64_t marked = 0;        // would have been damaged or lost, delivered clean as configured
  std::uint64_t ecn_marked = 0;    // given Congestion Experienced by the queue of their link's rate
  std::uint64_t iterations = 0;
  std::uint64_t longest_iteration_ns = 0;
  std::uint64_t windows = 0;         // link tables taken up
  std::uint64_t changes = 0;         // of the configuration, carried out
  std::uint64_t copies = 0;          // deliveries that a network simulator added, by a second verdict for one receiver
  std::uint64_t copies_refused = 0;  // verdicts that would have added one too many
  std::uint64_t ptp_passed = 0;      // messages of robots' PTP that bypassed the air
  DurationHistogram ptp_residence;   // what went into their correction fields
  DurationHistogram asked_late;      // by how much orders to release came after the instant they asked for
  DurationHistogram release_error;   // how much later than scheduled frames were released

  /// Together with another core's.
  void add(const PathTotals& other);
  /// When all cores are added: what is between them counts as held.
  void settle_crossings();
  [[nodiscard]] std::uint64_t dropped_total() const {
    return std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0});
  }
  [[nodiscard]] bool balanced() const {
    return deliveries + injected + crossed_in + site_in == released + dropped_total() + held + crossed_out + site_out;
  }
};

/// The use of one medium since the start.
struct AirUse {
  Nanoseconds busy{0};          // time on the air, counted where a transmission begins
  std::uint64_t acks_lost = 0;  // of frames that came through
};

/// Values of a link's counters at some moment, of all cores together.
struct LinkCounts {
  std::uint64_t deliveries = 0;
  std::uint64_t released = 0;
  std::uint64_t bytes_released = 0;
  std::array<std::uint64_t, kDropReasons> dropped{};
  std::uint64_t damaged = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t marked = 0;
  std::uint64_t ecn_marked = 0;
  std::uint64_t failed_tries = 0;
  std::uint64_t site_out = 0;  // sent to the receiver's gateway
  std::uint64_t site_in = 0;   // come from the sender's gateway
  std::uint64_t timed = 0;     // deliveries whose delay was added up here; those of a site where they are decided
  std::uint64_t delay_ns = 0;  // of all of them, from the arrival to the instant at which they are due
  std::uint64_t queued = 0;    // that have come into the queue of the link's rate
  std::uint64_t unqueued = 0;  // that have left it

  /// Deliveries that wait for the link's rate now.
  [[nodiscard]] std::uint64_t in_queue() const { return queued > unqueued ? queued - unqueued : 0; }
  /// Deliveries that are neither released nor dropped: in queues, on the air and held.
  [[nodiscard]] std::uint64_t waiting() const {
    const std::uint64_t come = deliveries + site_in;
    const std::uint64_t gone = released + dropped_total() + site_out;
    return come > gone ? come - gone : 0;
  }
  /// Without what they said before.
  void subtract(const LinkCounts& before);
  [[nodiscard]] std::uint64_t dropped_total() const {
    return std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0});
  }
  /// Deliveries that are neither released nor dropped.
  [[nodiscard]] bool idle() const { return deliveries + site_in == released + dropped_total() + site_out; }
};

/// One link's share, read while the loop runs.
struct LinkCounters {
  Counter deliveries;
  Counter released;
  Counter bytes_released;
  std::array<Counter, kDropReasons> dropped;
  Counter damaged;
  Counter duplicated;
  Counter marked;
  Counter ecn_marked;
  Counter failed_tries;                       // transmissions lost on the air, repeated or not
  Counter timed, delay_ns, queued, unqueued;  // as in LinkCounts

  void add_to(LinkCounts& counts) const {
    counts.deliveries += deliveries.get();
    counts.released += released.get();
    counts.bytes_released += bytes_released.get();
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      counts.dropped[i] += dropped[i].get();
    }
    counts.damaged += damaged.get();
    counts.duplicated += duplicated.get();
    counts.marked += marked.get();
    counts.ecn_marked += ecn_marked.get();
    counts.failed_tries += failed_tries.get();
    counts.timed += timed.get();
    counts.delay_ns += delay_ns.get();
    counts.unqueued += unqueued.get();  // before those that came: the loop continues meanwhile
    counts.queued += queued.get();
  }
};

}  // namespace hilgate

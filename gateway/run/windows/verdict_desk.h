// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "gateway/run/windows/span_histogram.h"
#include "gateway/run/windows/window_options.h"
#include "netsim_link/network_simulator.h"
#include "netsim_link/verdict.h"

namespace hilgate {

/// CORNET's rule: a packet that the network delays by `network_delay`, and that has been under way
/// for `elapsed` of physics' time when the network's answer is there, is held for the rest, or is late (empty) when
/// there is no rest. With `late: discard` a late packet is dropped. In pace follow physics' time is the run's, so that
/// what is held is held while physics stands.
constexpr std::optional<Nanoseconds> rest_of_hold(Nanoseconds network_delay, Nanoseconds elapsed) {
  return elapsed <= network_delay ? std::optional(network_delay - elapsed) : std::nullopt;
}

/// The packets that network simulators may still pass verdicts on. The frames themselves are parked in the packet loop,
/// which frees them when the ledger forgets their ids.
class PacketLedger {
 public:
  /// Ids come in rising order.
  void offer(std::span<const CapturedPacket> packets, std::uint64_t window);
  [[nodiscard]] bool knows(std::uint64_t packet) const { return find(packet) != nullptr; }
  /// True when it was known.
  bool forget(std::uint64_t packet);
  /// Forgets the packets captured before `before`, and appends their ids to `forgotten`.
  void expire_captured(SimTime before, std::vector<std::uint64_t>& forgotten);
  /// Forgets the packets offered in `window` and earlier.
  void expire_offered(std::uint64_t window, std::vector<std::uint64_t>& forgotten);
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  /// Sender and receiver of the packet that expired last; empty while none has.
  struct Ends {
    RobotIndex sender{};
    std::optional<RobotIndex> receiver{};  // empty: a group
  };
  [[nodiscard]] const std::optional<Ends>& last_expired() const { return last_expired_; }

 private:
  struct Entry {
    std::uint64_t id = 0;
    SimTime captured{};
    std::uint64_t window = 0;
    Ends ends{};
    bool waits = true;
  };
  [[nodiscard]] const Entry* find(std::uint64_t packet) const;
  template <class IsOld>
  void expire(IsOld is_old, std::vector<std::uint64_t>& forgotten);

  std::deque<Entry> entries_;  // by id
  std::size_t waiting_ = 0;
  std::optional<Ends> last_expired_;
};

/// Where captured packets come from: the packet loop's ring. Called on the control thread.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  PacketSource() = default;
  PacketSource(const PacketSource&) = delete;
  PacketSource& operator=(const PacketSource&) = delete;
  /// Appends the packets captured before `before`, by rising id, each once.
  virtual void take(SimTime before, std::vector<CapturedPacket>& packets) = 0;
};

struct VerdictStats {
  std::uint64_t offered = 0;    // packets
  std::uint64_t verdicts = 0;   // passed on
  std::uint64_t unknown = 0;    // verdicts for packets that were never offered, or are forgotten
  std::uint64_t bad_ber = 0;    // not in [0, 1), or not a number; dropped
  std::uint64_t discarded = 0;  // came too late, and LatePolicy::kDiscard
  std::uint64_t forgotten = 0;  // by the network simulator
  std::uint64_t expired = 0;    // no final verdict in time
  std::uint64_t retries = 0;    // reported in verdicts, by simulated radios
  SpanHistogram late;           // how much later than asked, of the verdicts that came after their release time
};

/// Keeps the books on packets and checks every verdict before anything acts on it.
class VerdictDesk {
 public:
  VerdictDesk(const WindowOptions& options, PacketSource& source) : options_(options), source_(source) {}

  /// The packets to ask about in `window`; valid until the next call.
  std::span<const CapturedPacket> offer(SimTime before, std::uint64_t window);

  /// Checks an answer; afterwards verdicts() and forgotten() are what the packet loop must know. `now` is empty in
  /// lockstep, where nothing is late.
  void judge(NetworkAnswer& answer, std::optional<SimTime> now);
  /// Gives up the packets that have waited too long when `window` begins at `from`; fills forgotten().
  void expire(std::uint64_t window, SimTime from);
  /// Gives up all packets; fills forgotten().
  void expire_all();

  [[nodiscard]] std::span<const Verdict> verdicts() const { return verdicts_; }
  [[nodiscard]] std::span<const std::uint64_t> forgotten() const { return forgotten_; }
  [[nodiscard]] const VerdictStats& stats() const { return stats_; }
  [[nodiscard]] std::size_t waiting() const { return ledger_.waiting(); }
  /// As PacketLedger's.
  [[nodiscard]] const std::optional<PacketLedger::Ends>& last_expired() const { return ledger_.last_expired(); }

 private:
  void check(Verdict& verdict, std::optional<SimTime> now);

  const WindowOptions& options_;
  PacketSource& source_;
  PacketLedger ledger_;
  std::vector<CapturedPacket> packets_;
  std::vector<Verdict> verdicts_;
  std::vector<std::uint64_t> forgotten_;
  VerdictStats stats_;
};

}  // namespace hilgate

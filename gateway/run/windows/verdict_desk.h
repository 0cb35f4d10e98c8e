// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gateway/run/windows/packet_ledger.h"
#include "gateway/run/windows/span_histogram.h"
#include "gateway/run/windows/window_options.h"
#include "netsim_link/network_simulator.h"
#include "netsim_link/verdict.h"

namespace hilgate {

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

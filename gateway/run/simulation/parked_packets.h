// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gateway/run/windows/verdict_desk.h"
#include "gateway/run/windows/window_engine.h"
#include "path/fate/table_robots.h"
#include "path/verdicts/verdict_rings.h"

namespace hilgate {

/// What a verdict's loss is counted as.
DropReason reason_of(AirDrop drop);

/// The control thread's end of the parking: turns what the packet loop parked into packets for the network simulator,
/// and its verdicts into orders for the packet loop. In lockstep, where no clock determines when a frame is due, orders
/// wait here until the window begins that they are for, unless they are for now.
class ParkedPackets final : public PacketSource {
 public:
  ParkedPackets(VerdictRings& rings, TableRobots robots, const WindowOptions& options);

  /// What converts between the clocks; call before anything else, it must outlive the calls.
  void attach(const WindowEngine& engine) { engine_ = &engine; }
  /// Robots have other slots from now on. Packets of those that have left a slot are dropped.
  void change(TableRobots robots) { robots_ = std::move(robots); }

  void take(SimTime before, std::vector<CapturedPacket>& packets) override;
  /// Frames are parked from the first window on.
  void window_began(SimTime from);
  void verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t> forgotten);
  void expired(std::span<const std::uint64_t> packets);
  /// Simulation time is another: of what has not been asked about, instants are of the last one.
  void begin_anew();
  /// No simulator judges packets any more: no further frame is parked.
  void close() { rings_.open.store(false, std::memory_order_relaxed); }

  /// Packets that expired before they were offered, because the simulator was not connected.
  [[nodiscard]] std::uint64_t unasked() const { return unasked_; }

 private:
  void collect();
  void offer(const ParkedPacket& parked);
  void expire_unasked(SimTime before);
  void judge(const Verdict& verdict);
  void forget(std::uint64_t packet, DropReason reason);
  void put_off(SimTime until, const ParkedOrder& order);
  void release_due();
  void send(const ParkedOrder& order);

  VerdictRings& rings_;
  TableRobots robots_;  // the path names them by slot, simulators by index
  const bool lockstep_;
  const Nanoseconds hold_;
  const WindowEngine* engine_ = nullptr;
  SimTime from_{};                                      // of the window at hand
  std::deque<CapturedPacket> captured_;                 // not asked about yet
  std::multimap<SimTime, ParkedOrder> put_off_;         // lockstep; what is for one instant stays in its order
  std::unordered_map<std::uint64_t, SimTime> last_of_;  // lockstep: a packet's last order in put_off_
  std::deque<ParkedOrder> backlog_;                     // that found the ring full
  std::uint64_t unasked_ = 0;
};

}  // namespace hilgate

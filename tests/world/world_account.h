// SPDX-License-Identifier: Apache-2.0
// The world's own books on every frame, kept where frames come in and leave, and compared with the path's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "frame/counters.h"
#include "tests/world/world_faults.h"
#include "tests/world/world_memory.h"

namespace hilgate::test {

/// What a world promises of its links, as the account needs to know it.
struct WorldPromise {
  std::vector<std::uint32_t> port_of;  // by robot
  std::vector<Nanoseconds> least;      // by link: no frame of it leaves earlier after its arrival
  bool in_order = false;               // on every link
  std::vector<bool> groups_apart;      // by robot: a radio's group frames and its other frames are two orders
  bool twice = false;                  // frames may be duplicated
  std::vector<bool> watched;           // by robot: what they send to one another is in watched_digest()
};

class WorldAccount {
 public:
  WorldAccount(WorldPromise promise, std::size_t ports, WorldFaults& faults);

  // ---- by the ports ----

  void captured(const FrameIdentity& frame) {
    ++captured_;
    ++frames_;
    const bool named = frame.kind == FrameKind::kRobots || frame.kind == FrameKind::kSpoofed;
    const FrameKind kind = named && absent_[frame.from] ? FrameKind::kUnknown : frame.kind;
    ++by_kind_[static_cast<std::size_t>(kind)];
  }
  void released(std::uint32_t port, const FrameIdentity& frame) {
    ++released_;
    if (frame.kind != FrameKind::kOwn) {
      ++by_way_[frame.from * ports_ + port];
    }
  }
  void left(std::uint32_t port, const FrameIdentity& frame, std::uint64_t digest, HostTime now);

  // ---- by the world ----

  /// The robot's frames are those of nobody meanwhile.
  void set_absent(std::uint32_t robot, bool absent) { absent_[robot] = absent; }
  /// Another path takes over, whose books begin at zero.
  void restart();

  /// What every iteration must keep. `totals` of all cores, with what is between them held.
  void check(const PathTotals& totals, std::size_t most_held);
  /// By robot and reason; `links` of all cores.
  void check_links(const PathTotals& totals, const std::vector<LinkCounts>& links);
  /// Nothing is held: every delivery of every link was released or dropped.
  void check_settled(const PathTotals& totals, const std::vector<LinkCounts>& links);

  /// Of all that has left: who, when, by which port, what.
  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  /// Of what the watched robots' frames became, without instants and the order between links.
  [[nodiscard]] std::uint64_t watched_digest() const { return watched_digest_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t gone() const { return gone_; }

 private:
  void check_refusals(const PathTotals& totals);
  void check_place(std::uint32_t port, const FrameIdentity& frame);
  void check_time(std::uint32_t port, const FrameIdentity& frame, HostTime now);
  void check_order(std::uint32_t port, const FrameIdentity& frame);

  WorldPromise promise_;
  std::size_t robots_;
  std::size_t ports_;
  WorldFaults& faults_;
  std::vector<std::uint32_t> robots_on_;  // by port
  std::vector<bool> watched_port_;
  std::vector<bool> absent_;  // by robot
  // Of the path at hand.
  std::uint64_t captured_ = 0;
  std::uint64_t released_ = 0;
  std::array<std::uint64_t, kFrameKinds> by_kind_{};
  std::vector<std::uint64_t> by_way_;  // released, by sender and port
  // Of the whole world.
  std::vector<std::uint64_t> last_;  // number + 1, by sender, port, and whether to everybody where that is apart
  std::uint64_t digest_ = 0;
  std::uint64_t watched_digest_ = 0;
  std::uint64_t frames_ = 0;  // captured
  std::uint64_t gone_ = 0;    // left
};

}  // namespace hilgate::test

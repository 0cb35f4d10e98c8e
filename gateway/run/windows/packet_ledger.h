// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "netsim_link/verdict.h"

namespace hilgate {

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

}  // namespace hilgate

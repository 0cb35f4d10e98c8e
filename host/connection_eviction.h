// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <utility>

namespace hilgate {

/// Why the server may close a connection, in the order in which it does.
enum class EvictionReason : std::uint8_t { kSilent, kNotReading, kHalfClosed };

/// The connections that a server closes when all seats are taken and another client connects, so that idle clients keep
/// no other out. Within a reason the oldest is closed first. For the thread of the server.
class ConnectionEviction {
 public:
  static constexpr std::size_t kReasons = 3;
  using Leave = std::function<void()>;
  /// A connection gives way as long as it keeps this.
  using Place = std::shared_ptr<void>;

  /// `leave` closes the connection and releases the seat.
  [[nodiscard]] Place enter(EvictionReason reason, Leave leave) {
    Leaves& leaves = (*waiting_)[static_cast<std::size_t>(reason)];
    leaves.push_back(std::move(leave));
    return {nullptr, [waiting = waiting_, &leaves, at = std::prev(leaves.end())](void*) { leaves.erase(at); }};
  }

  /// Closes one; false without one.
  bool make_room() {
    for (const Leaves& leaves : *waiting_) {
      if (const std::size_t before = leaves.size(); before > 0) {
        const Leave leave = leaves.front();  // goes out of the list by itself
        leave();
        return leaves.size() < before;
      }
    }
    return false;
  }

 private:
  using Leaves = std::list<Leave>;

  using Lists = std::array<Leaves, kReasons>;

  std::shared_ptr<Lists> waiting_ = std::make_shared<Lists>();
};

}  // namespace hilgate

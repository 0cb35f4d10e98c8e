// SPDX-License-Identifier: Apache-2.0
// How every server accepts connections: never more at a time, or in a second, than its limits, and without spinning
// when the process has no descriptors left. For the thread of the io_context.
#pragma once

#include <algorithm>
#include <array>
#include <asio/error.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "host/control_clock.h"

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

struct AcceptLimits {
  std::size_t at_once = 32;                     // connections that are open
  bool others_wait = false;                     // one more waits, and others in the kernel's queue; else it is closed
  double per_second = 100;                      // taken; further ones wait in the kernel's queue
  double burst = 20;                            // of these, without a wait
  std::chrono::milliseconds out_of_reach{100};  // the wait when there are no descriptors, or no memory
};

/// Keeps one connection counted as long as it lives.
using ConnectionSeat = std::shared_ptr<void>;

/// Written and read on the thread of the io_context.
struct AcceptCounts {
  std::uint64_t taken = 0;
  std::uint64_t sent_away = 0;  // too many at once
  std::uint64_t gave_way = 0;   // likewise: another connection was closed instead
  std::uint64_t failed = 0;     // accept() itself: no descriptors, no memory
};

/// `acceptor` must be listening and outlive the loop.
template <class Acceptor>
class AcceptLoop {
 public:
  using Socket = typename Acceptor::protocol_type::socket;
  using Take = std::function<void(Socket, ConnectionSeat)>;
  /// Closes a connection that is worth less than a new one; false without one.
  using MakeRoom = std::function<bool()>;

  /// `make_room` is called when a client connects and all seats are taken.
  AcceptLoop(Acceptor& acceptor, AcceptLimits limits, Take take, MakeRoom make_room = {})
      : acceptor_(acceptor),
        limits_(limits),
        take_(std::move(take)),
        make_room_(std::move(make_room)),
        timer_(acceptor.get_executor()),
        allowance_(limits.burst),
        earned_at_(Clock::now()) {
    accept_next();
  }
  ~AcceptLoop() { *alive_ = false; }
  AcceptLoop(const AcceptLoop&) = delete;
  AcceptLoop& operator=(const AcceptLoop&) = delete;

  [[nodiscard]] const AcceptCounts& counts() const { return counts_; }
  [[nodiscard]] std::size_t open() const { return static_cast<std::size_t>(seats_.use_count() - 1); }

 private:
  using Clock = ControlClock;
  static constexpr std::chrono::milliseconds kSeatPatience{5};

  void accept_next() {
    acceptor_.async_accept([this, alive = alive_](std::error_code error, Socket socket) {
      if (!*alive || error == asio::error::operation_aborted) {
        return;
      }
      if (error) {
        ++counts_.failed;
        return accept_after(limits_.out_of_reach);
      }
      take(std::move(socket), alive);
    });
  }

  void take(Socket socket, const std::shared_ptr<bool>& alive) {
    if (open() >= limits_.at_once && !makes_room()) {
      if (limits_.others_wait) {
        return take_later(std::move(socket));
      }
      ++counts_.sent_away;
      std::error_code ignored;
      socket.close(ignored);
    } else {
      ++counts_.taken;
      take_(std::move(socket), seats_);
      if (!*alive) {
        return;
      }
    }
    const auto now = Clock::now();
    allowance_ = std::min(limits_.burst,
                          allowance_ + std::chrono::duration<double>(now - earned_at_).count() * limits_.per_second);
    earned_at_ = now;
    allowance_ -= 1;
    if (allowance_ >= 0) {
      accept_next();
    } else {
      accept_after(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(-allowance_ / limits_.per_second)));
    }
  }

  bool makes_room() {
    const bool made = make_room_ && make_room_();
    counts_.gave_way += made ? 1 : 0;
    return made;
  }

  void take_later(Socket socket) {
    waiting_.emplace(std::move(socket));
    timer_.expires_after(kSeatPatience);
    timer_.async_wait([this, alive = alive_](std::error_code error) {
      if (*alive && !error) {
        Socket next = std::move(*waiting_);
        waiting_.reset();
        take(std::move(next), alive);
      }
    });
  }

  void accept_after(Clock::duration wait) {
    timer_.expires_after(wait);
    timer_.async_wait([this, alive = alive_](std::error_code error) {
      if (*alive && !error) {
        accept_next();
      }
    });
  }

  Acceptor& acceptor_;
  AcceptLimits limits_;
  Take take_;
  MakeRoom make_room_;
  ControlTimer timer_;
  std::optional<Socket> waiting_;
  AcceptCounts counts_;
  double allowance_;  // connections that may be taken now
  Clock::time_point earned_at_;
  ConnectionSeat seats_ = std::make_shared<char>();
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate

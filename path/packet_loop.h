// SPDX-License-Identifier: Apache-2.0
// The thread that owns the packet path: it polls while there is something to do, and sleeps or polls when not.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "clock/seqlock.h"
#include "clock/servo/sim_clock.h"
#include "clock/tsc_clock.h"
#include "frame/counters.h"
#include "host/processors.h"
#include "path/idle_wait.h"

namespace hilgate {

/// What the thread of a loop asks of the scheduler.
struct LoopThread {
  std::optional<std::uint32_t> cpu;  // pinned to it
  bool real_time = false;            // kPacketLoopPriority
};

/// Runs `Path::iterate(clock)` until stopped. `Path` is a FramePath; it and the clock must outlive the loop. All calls
/// but heartbeat(), waker() and idle() come from one thread, the control thread.
template <class Path>
class PacketLoop {
 public:
  PacketLoop(Path& path, const TscClock& clock, const LoopThread& thread, const IdleSettings& idle)
      : path_(&path), clock_(&clock), settings_(thread), idle_(idle) {}
  ~PacketLoop() { stop(); }
  PacketLoop(const PacketLoop&) = delete;
  PacketLoop& operator=(const PacketLoop&) = delete;

  /// Path time goes by `pace`, which must outlive the loop. Call before start().
  void pace_by(const PathPace* pace) { pace_ = pace; }

  /// `enter` is called on the thread before its first iteration. Throws std::system_error when the thread cannot be
  /// made, pinned to the CPU or given its priority.
  template <class Enter>
  void start(Enter enter) {
    thread_ = std::jthread([this, enter](const std::stop_token& stop) {
      enter();
      idle_.enter_thread();
      run(stop);
    });
    pthread_setname_np(thread_.native_handle(), "hilgate-loop");
    try {
      schedule();
    } catch (...) {
      stop();
      throw;
    }
  }

  /// One iteration on the caller's thread, by its clock, instead of start(): of a loop without a thread.
  template <class Clock>
  void iterate(Clock& clock) {
    path_->iterate(clock);
    heartbeat_.add();
  }

  /// Idempotent. Afterwards the path belongs to the caller.
  void stop() {
    if (thread_.joinable()) {
      thread_.request_stop();
      idle_.waker().wake();
      thread_.join();
    }
  }

  /// Totals at the end of some iteration after the call. Empty when the loop has not answered in time.
  std::optional<PathTotals> snapshot(std::chrono::milliseconds patience) {
    if (!thread_.joinable()) {
      return path_->totals();
    }
    const std::uint64_t wanted = asked_.fetch_add(1, std::memory_order_acq_rel) + 1;
    idle_.waker().wake();
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (answered_.load(std::memory_order_acquire) < wanted) {
      if (std::chrono::steady_clock::now() > deadline) {
        return std::nullopt;
      }
      std::this_thread::yield();
    }
    return totals_.load();
  }

  /// Swaps `next` into the path between two iterations; on return `next` holds the previous parts. False, and nothing
  /// changed, when the loop did not get to it within `patience`.
  bool change(typename Path::Change& next, std::chrono::milliseconds patience) {
    if (!thread_.joinable()) {
      path_->change(next, PathReader(*clock_, pace_).now());
      return true;
    }
    next_ = &next;
    change_.store(Change::kAsked, std::memory_order_release);
    idle_.waker().wake();
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (change_.load(std::memory_order_acquire) != Change::kDone) {
      Change asked = Change::kAsked;
      // Once the loop has begun, it ends soon.
      if (std::chrono::steady_clock::now() > deadline && change_.compare_exchange_strong(asked, Change::kNone)) {
        return false;
      }
      std::this_thread::yield();
    }
    change_.store(Change::kNone, std::memory_order_relaxed);
    return true;
  }

  [[nodiscard]] std::uint64_t heartbeat() const { return heartbeat_.get(); }
  /// For threads that leave work for the path.
  [[nodiscard]] LoopWaker& waker() { return idle_.waker(); }
  [[nodiscard]] const LoopThread& thread() const { return settings_; }
  [[nodiscard]] IdleReport idle() const { return idle_.report(); }

 private:
  void run(const std::stop_token& stop) noexcept {
    PathReader clock(*clock_, pace_);
    while (!stop.stop_requested()) {
      path_->iterate(clock);
      heartbeat_.add();
      Change wanted = Change::kAsked;
      if (change_.load(std::memory_order_acquire) == Change::kAsked &&
          change_.compare_exchange_strong(wanted, Change::kBegun, std::memory_order_acq_rel)) {
        path_->change(*next_, clock.now());
        change_.store(Change::kDone, std::memory_order_release);
      }
      const std::uint64_t asked = asked_.load(std::memory_order_acquire);
      if (asked != answered_.load(std::memory_order_relaxed)) {
        totals_.store(path_->totals());
        answered_.store(asked, std::memory_order_release);
      }
      idle_.after_iteration(*path_, clock, [&] { return stop.stop_requested() || is_asked(); });
    }
  }

  [[nodiscard]] bool is_asked() const {
    return change_.load(std::memory_order_acquire) == Change::kAsked ||
           asked_.load(std::memory_order_acquire) != answered_.load(std::memory_order_relaxed);
  }

  void schedule() {
    if (settings_.cpu) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(*settings_.cpu, &set);
      if (const int error = pthread_setaffinity_np(thread_.native_handle(), sizeof(set), &set); error != 0) {
        throw std::system_error(error, std::generic_category(),
                                "packet_loop.cpu: cannot run on CPU " + std::to_string(*settings_.cpu));
      }
    }
    if (settings_.real_time) {
      run_in_real_time(thread_.native_handle(), kPacketLoopPriority);
    }
  }

  Path* path_;
  const TscClock* clock_;
  const PathPace* pace_ = nullptr;
  LoopThread settings_;
  enum class Change : std::uint8_t { kNone, kAsked, kBegun, kDone };
  std::atomic<Change> change_{Change::kNone};
  typename Path::Change* next_ = nullptr;  // while a change is asked for
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<std::uint64_t> answered_{0};
  Seqlock<PathTotals> totals_;
  IdleWait idle_;
  Counter heartbeat_;
  std::jthread thread_;
};

}  // namespace hilgate

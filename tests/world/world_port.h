// SPDX-License-Identifier: Apache-2.0
// A port of a world, with a wire that takes what it likes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "frame/frame.h"
#include "tests/world/world_account.h"
#include "tests/world/world_clock.h"
#include "tests/world/world_memory.h"
#include "tests/world/world_random.h"

namespace hilgate::test {

/// Models FramePort in both manners: as xdp/xsk_session.h, a ring whose frames are shown to the device by flush()
/// alone, or as dpdk/dpdk_port.h, bursts that leave when they are full.
class WorldPort {
 public:
  static constexpr std::size_t kBurst = 16;  // few, so that they are often full
  static constexpr std::size_t kRing = 256;

  WorldPort(std::uint32_t number, bool bursts, WorldMemory& memory, WorldAccount& account, const WorldClock& clock)
      : number_(number), bursts_(bursts), memory_(memory), account_(account), clock_(clock), random_(number) {
    noted_.reserve(kRing);
    leaving_.reserve(kRing);
  }
  WorldPort(const WorldPort&) = delete;
  WorldPort& operator=(const WorldPort&) = delete;
  ~WorldPort() {
    slow = false;
    flush();
    for (const Frame& frame : arrivals_) {
      memory_.free(frame);
    }
  }

  void arrive(const Frame& frame) { arrivals_.push_back(frame); }
  [[nodiscard]] std::size_t waiting() const { return arrivals_.size(); }

  // ---- FramePort ----

  std::size_t capture(std::span<Frame> burst) {
    std::size_t count = 0;
    for (; count < burst.size() && !arrivals_.empty(); ++count) {
      burst[count] = arrivals_.front();
      arrivals_.pop_front();
      account_.captured(memory_.identity(burst[count]));
    }
    return count;
  }
  bool release(const Frame& frame) {
    if (away || (bursts_ ? noted_.size() == kBurst && !send() : noted_.size() + leaving_.size() == kRing)) {
      return false;
    }
    noted_.push_back(frame);
    account_.released(number_, memory_.identity(frame));
    return true;
  }
  void flush() {
    if (!noted_.empty() || !leaving_.empty()) {
      send();
    }
  }
  [[nodiscard]] bool unplugged() const { return away; }
  [[nodiscard]] std::size_t noting_room() const { return bursts_ ? kBurst - noted_.size() : SIZE_MAX; }

  bool away = false;  // there is no interface
  bool slow = false;  // the wire takes some frames, or none, each time it is asked

 private:
  // True when there is room for another frame.
  bool send() {
    const std::size_t room = !slow ? SIZE_MAX : random_.chance(0.6) ? 0 : random_.below(100);
    const std::size_t shown = bursts_ ? std::min(noted_.size(), room) : noted_.size();
    for (std::size_t i = 0; i < shown; ++i) {
      account_.left(number_, memory_.identity(noted_[i]), memory_.digest(noted_[i]), clock_.at());
      leaving_.push_back(noted_[i]);
    }
    noted_.erase(noted_.begin(), noted_.begin() + static_cast<std::ptrdiff_t>(shown));
    const std::size_t gone = std::min(leaving_.size(), room);
    for (std::size_t i = 0; i < gone; ++i) {
      memory_.free(leaving_[i]);
    }
    leaving_.erase(leaving_.begin(), leaving_.begin() + static_cast<std::ptrdiff_t>(gone));
    return noted_.size() < kBurst;
  }

  const std::uint32_t number_;
  const bool bursts_;
  WorldMemory& memory_;
  WorldAccount& account_;
  const WorldClock& clock_;
  WorldRandom random_;
  std::deque<Frame> arrivals_;
  std::vector<Frame> noted_;    // released, and not yet shown to the device
  std::vector<Frame> leaving_;  // the device's
};
static_assert(FramePort<WorldPort>);

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Where deliveries cross from the core of the port they came in by to that of the port they leave by.
//
// The core of the sender decides the fate, that of the receiver holds and releases: so the fate does not depend on how
// many cores there are, and a link's frames stay in order in the one ring they all take. Radios of one medium have one
// core that decides for all of them, the medium's home: their frames cross to it before they are decided.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "frame/frame.h"
#include "frame/spsc_ring.h"
#include "host/loop_waker.h"
#include "netsim_link/link_state.h"
#include "path/fate/damage.h"
#include "path/hold/held_frame.h"

namespace hilgate {

/// A frame on its way to the core that decides the medium of its sender.
struct AirCrossing {
  Frame frame;
  RobotSlot from{};
  RobotSlot to{};             // where it is for one robot alone
  std::uint32_t payload = 0;  // offset of the bytes behind the MAC header
  bool group = false;
  bool alone = false;  // false: for all that its address reaches
};

/// A ring whose reader may sleep. The writer notifies it once an iteration: pushed items are seen a burst later, or
/// then.
template <class T>
class WakingRing : public SpscRing<T> {
 public:
  using SpscRing<T>::SpscRing;

  /// The loop that sleeps at the other end; before the first push.
  void set_reader(LoopWaker& reader) { reader_ = &reader; }
  bool push(const T& item) {
    T* const place = this->claim();
    if (place == nullptr) {
      return false;
    }
    *place = item;
    put();
    return true;
  }
  /// Writer: the item at claim() is whole.
  void put() {
    this->stage();
    if (++pushed_ % kBurst == 0) {
      this->publish_staged();
    }
  }
  /// Writer: publishes what was pushed since the last call, if anything was, and wakes the reader.
  void announce() noexcept {
    if (pushed_ == 0) {
      return;
    }
    this->publish_staged();
    if (reader_ != nullptr) {
      reader_->wake();
    }
    pushed_ = 0;
  }

 private:
  static constexpr std::uint32_t kBurst = 32;

  LoopWaker* reader_ = nullptr;
  std::uint32_t pushed_ = 0;  // the writer's, since the last announce()
};

/// Deliveries on their way to another core's hold. Few are to be damaged: their notes go separately, so that an entry
/// takes less than a line of a cache.
class CrossingRing : public WakingRing<HeldFrame> {
 public:
  explicit CrossingRing(std::size_t capacity) : WakingRing(capacity), notes_(capacity) {}

  /// Writer. Requires that `held` has no note, which would be one of this core's slab. False when the ring is full.
  bool push(const HeldFrame& held) { return WakingRing::push(held); }
  bool push(HeldFrame held, const DamageNote& note) {
    if (claim() == nullptr || !notes_.push(note)) {
      return false;
    }
    held.damage = kNoteBeside;
    return WakingRing::push(held);
  }
  /// Reader: whether `held`, the ring's front(), needs its note.
  [[nodiscard]] static bool damaged(const HeldFrame& held) { return held.damage != kNoNode; }
  /// Reader: takes out the oldest, at most `most`, to each(HeldFrame, const DamageNote*), null for what is not damaged.
  /// Returns how many.
  template <class Each>
  std::size_t take(std::size_t most, Each each) {
    std::size_t count = 0;
    for (const HeldFrame* next = nullptr; count < most && (next = front()) != nullptr; ++count) {
      HeldFrame held = *next;
      held.damage = kNoNode;
      const DamageNote* const note = damaged(*next) ? notes_.front() : nullptr;
      each(held, note);
      if (note != nullptr) {
        notes_.drop_front();
      }
      drop_front();
    }
    return count;
  }
  [[nodiscard]] std::size_t bytes() const { return WakingRing::bytes() + notes_.bytes(); }

 private:
  static constexpr NodeIndex kNoteBeside = 0;
  static_assert(kNoteBeside != kNoNode);

  SpscRing<DamageNote> notes_;  // in the order of the deliveries that need them
};

/// Reader: whether there is something in any of them.
template <class Ring>
bool any_waiting(const std::vector<Ring*>& rings) noexcept {
  return std::any_of(rings.begin(), rings.end(), [](Ring* ring) { return ring->front() != nullptr; });
}

using AirRing = WakingRing<AirCrossing>;

/// One group's ends of the rings.
struct Crossings {
  std::vector<CrossingRing*> to_port;  // by PortSlot; null: the group's own port
  std::vector<CrossingRing*> to;       // to the other groups, each once
  std::vector<CrossingRing*> from;     // the other groups'
  std::vector<AirRing*> to_home;       // by RobotSlot; null: this group decides its frames. Empty: all frames
  /// By RobotSlot: of those with a home elsewhere, whether this group decides their frames all the same, just now;
  /// null, or past its end: never.
  std::vector<const std::atomic<bool>*> decided_here;
  std::vector<AirRing*> air_to;  // to the other groups, each once
  std::vector<AirRing*> air_from;
};

/// All rings between the groups of one gateway, one for each ordered pair.
class CrossingRings {
 public:
  /// The home of a robot without a medium.
  static constexpr std::size_t kNoHome = std::numeric_limits<std::size_t>::max();

  /// `capacity` in deliveries, of each ring.
  CrossingRings(std::size_t groups, std::size_t capacity) : groups_(groups) {
    for (std::size_t i = 0; groups > 1 && i < groups * groups; ++i) {
      const bool own = i / groups == i % groups;
      rings_.push_back(own ? nullptr : std::make_unique<CrossingRing>(capacity));
      air_rings_.push_back(own ? nullptr : std::make_unique<AirRing>(std::min(capacity, kMostAirCrossings)));
    }
  }

  /// Empty when there is only one group. `group_of_port` by PortSlot, groups from 0. `homes` by RobotSlot: the groups
  /// that decide their media.
  [[nodiscard]] Crossings of(std::size_t group, const std::vector<std::size_t>& group_of_port,
                             const std::vector<std::size_t>& homes = {}) const {
    Crossings ends;
    if (groups_ < 2) {
      return ends;
    }
    for (const std::size_t other : group_of_port) {
      ends.to_port.push_back(rings_[group * groups_ + other].get());
    }
    for (std::size_t other = 0; other < groups_; ++other) {
      if (other != group) {
        ends.to.push_back(rings_[group * groups_ + other].get());
        ends.from.push_back(rings_[other * groups_ + group].get());
        ends.air_to.push_back(air_rings_[group * groups_ + other].get());
        ends.air_from.push_back(air_rings_[other * groups_ + group].get());
      }
    }
    for (const std::size_t home : homes) {
      ends.to_home.push_back(home == kNoHome ? nullptr : air_rings_[group * groups_ + home].get());
    }
    return ends;
  }
  /// The loop to wake when something crosses to this group.
  void set_reader(std::size_t group, LoopWaker& reader) {
    for (std::size_t from = 0; groups_ > 1 && from < groups_; ++from) {
      if (from != group) {
        rings_[from * groups_ + group]->set_reader(reader);
        air_rings_[from * groups_ + group]->set_reader(reader);
      }
    }
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      sum += rings_[i] ? rings_[i]->bytes() + air_rings_[i]->bytes() : 0;
    }
    return sum;
  }

 private:
  static constexpr std::size_t kMostAirCrossings = 4096;  // what a port brings, between two iterations of the reader

  std::size_t groups_;
  std::vector<std::unique_ptr<CrossingRing>> rings_;  // from * groups + to
  std::vector<std::unique_ptr<AirRing>> air_rings_;   // likewise
};

}  // namespace hilgate

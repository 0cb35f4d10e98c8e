// SPDX-License-Identifier: Apache-2.0
// Where deliveries cross from the core of the port they came in by to that of the port they leave by.
//
// The core of the sender decides the fate, that of the receiver holds and releases: so the fate does not depend on how
// many cores there are, and a link's frames stay in order in the one ring they all take.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "frame/frame.h"
#include "frame/spsc_ring.h"
#include "gateway/fate/damage.h"
#include "gateway/hold/held_frame.h"
#include "host/loop_waker.h"
#include "netsim_link/link_state.h"

namespace hilgate {

struct Crossing {
  HeldFrame held;
  bool damaged = false;
  DamageNote note;  // when damaged
};

/// A ring whose reader may sleep. The writer tells it once an iteration.
class CrossingRing : public SpscRing<Crossing> {
 public:
  using SpscRing::SpscRing;

  /// Who sleeps at the other end; before the first push.
  void set_reader(LoopWaker& reader) { reader_ = &reader; }
  bool push(const Crossing& crossing) {
    pushed_ = true;
    return SpscRing::push(crossing);
  }
  /// Writer: wakes the reader if anything was pushed since the last call.
  void announce() noexcept {
    if (pushed_ && reader_ != nullptr) {
      reader_->wake();
    }
    pushed_ = false;
  }

 private:
  LoopWaker* reader_ = nullptr;
  bool pushed_ = false;  // the writer's
};

/// One group's ends of the rings.
struct Crossings {
  std::vector<CrossingRing*> to_port;  // by PortId; null: the group's own port
  std::vector<CrossingRing*> to;       // to the other groups, each once
  std::vector<CrossingRing*> from;     // the other groups'
};

/// All rings between the groups of one gateway, one for each ordered pair.
class CrossingRings {
 public:
  /// `capacity` in deliveries, of each ring.
  CrossingRings(std::size_t groups, std::size_t capacity) : groups_(groups) {
    for (std::size_t i = 0; groups > 1 && i < groups * groups; ++i) {
      rings_.push_back(i / groups == i % groups ? nullptr : std::make_unique<CrossingRing>(capacity));
    }
  }

  /// Empty when there is only one group. `group_of_port` by PortId, groups from 0.
  [[nodiscard]] Crossings of(std::size_t group, const std::vector<std::size_t>& group_of_port) const {
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
      }
    }
    return ends;
  }
  /// Whom to wake when something crosses to this group.
  void set_reader(std::size_t group, LoopWaker& reader) {
    for (std::size_t from = 0; groups_ > 1 && from < groups_; ++from) {
      if (from != group) {
        rings_[from * groups_ + group]->set_reader(reader);
      }
    }
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& ring : rings_) {
      sum += ring ? ring->bytes() : 0;
    }
    return sum;
  }

 private:
  std::size_t groups_;
  std::vector<std::unique_ptr<CrossingRing>> rings_;  // from * groups + to
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "path/hold/timing_wheel.h"

#include <algorithm>
#include <array>

namespace hilgate {
bool TimingWheel::push(const HeldFrame& held) {
  const NodeIndex node = frames_.take();
  if (node == kNoNode) {
    return false;
  }
  frames_[node] = held;
  if (size_++ == 0) {
    cursor_ = std::min(cursor_, slot_of(held.due));  // it may have run ahead when the wheel was drained
  }
  wake_ = std::min(wake_, held.due);
  ++pushed_;
  insert(node);
  return true;
}

void TimingWheel::pop_first() {
  const NodeIndex node = front_;
  front_ = frames_.next(node);
  frames_.give_back(node);
  --size_;
}

// Sorts what the clock has reached, and moves some of what comes later.
const HeldFrame* TimingWheel::settle(HostTime now) {
  if (late_ != kNoNode) {
    front_ = merge(front_, sort(late_));
    late_ = kNoNode;
  }
  move_near();
  while (front_ == kNoNode && load_next(now)) {
  }
  const HeldFrame* first = front_ != kNoNode ? &frames_[front_] : nullptr;
  wake_ = first != nullptr ? std::min(first->due, start_of(next_move_))
                           : start_of(std::min({next_fine(), next_coarse(), next_move_}));
  return first != nullptr && first->due <= now ? first : nullptr;
}

// What leaves the wheel in the long run has come by push(): two moves for each keep ahead.
void TimingWheel::move_near() {
  std::size_t moves = kMoves + std::min(2 * pushed_, kMostMoves);
  pushed_ = 0;
  for (; moves > 0 && next_move_ <= cursor_; --moves) {
    move_one(ring(next_coarse() >> kCoarseBits));
  }
}

void TimingWheel::move_one(std::uint32_t coarse_slot) {
  const NodeIndex node = coarse_.head(coarse_slot);
  const NodeIndex rest = frames_.next(node);
  if (rest != kNoNode) {
    coarse_.set_head(coarse_slot, rest);
    __builtin_prefetch(&frames_[rest]);
    __builtin_prefetch(&frames_.next(rest));
  } else {
    coarse_.take(coarse_slot);
    next_move_ = move_time(next_coarse());
  }
  insert(node);
}

// Takes one step towards `now`: a fine slot to the front, or a frame of a coarse slot that was not moved in time.
// False when the next one begins after `now`.
bool TimingWheel::load_next(HostTime now) {
  const Slot fine = next_fine();
  const Slot coarse = next_coarse();
  if (std::min(fine, coarse) > slot_of(now)) {
    cursor_ = std::max(cursor_, slot_of(now));
    return false;
  }
  if (coarse > fine) {
    front_ = sort(fine_.take(ring(fine)));
    cursor_ = fine + 1;
  } else {
    cursor_ = std::max(cursor_, coarse);
    move_one(ring(coarse >> kCoarseBits));
  }
  return true;
}

void TimingWheel::insert(NodeIndex node) {
  const Slot slot = slot_of(frames_[node].due);
  if (slot < cursor_) {
    frames_.next(node) = late_;
    late_ = node;
    return;
  }
  if (slot - cursor_ < WheelLevel::kSlots) {
    return put(fine_, ring(slot), node);
  }
  const Slot coarse = std::min(slot >> kCoarseBits, (cursor_ >> kCoarseBits) + WheelLevel::kSlots - 1);
  put(coarse_, ring(coarse), node);
  next_move_ = std::min(next_move_, move_time(coarse << kCoarseBits));
}

void TimingWheel::put(WheelLevel& level, std::uint32_t slot, NodeIndex node) {
  frames_.next(node) = level.head(slot);
  level.set_head(slot, node);
}

TimingWheel::Slot TimingWheel::next_fine() const {
  return fine_.empty() ? kNever : cursor_ + fine_.distance(ring(cursor_));
}

// The first fine slot of the next coarse one.
TimingWheel::Slot TimingWheel::next_coarse() const {
  const Slot now = cursor_ >> kCoarseBits;
  return coarse_.empty() ? kNever : (now + coarse_.distance(ring(now))) << kCoarseBits;
}

HostTime TimingWheel::next_due() const {
  HostTime first = std::min(earliest(late_), front_ != kNoNode ? frames_[front_].due : HostTime::max());
  if (!fine_.empty()) {
    first = std::min(first, earliest(fine_.head(ring(next_fine()))));
  }
  // What is due later than the ring reaches waits in a slot that is not its own, before others.
  const Slot now = cursor_ >> kCoarseBits;
  for (Slot ahead = 0; !coarse_.empty() && ahead < WheelLevel::kSlots; ++ahead) {
    ahead += coarse_.distance(ring(now + ahead));
    if (ahead >= WheelLevel::kSlots || start_of((now + ahead) << kCoarseBits) > first) {
      break;
    }
    first = std::min(first, earliest(coarse_.head(ring(now + ahead))));
  }
  return first;
}

HostTime TimingWheel::earliest(NodeIndex list) const {
  HostTime first = HostTime::max();
  for (; list != kNoNode; list = frames_.next(list)) {
    first = std::min(first, frames_[list].due);
  }
  return first;
}

// Merge sort from below: sorted lists of 1, 2, 4, ... nodes, merged when two of a size have come together.
NodeIndex TimingWheel::sort(NodeIndex list) {
  std::array<NodeIndex, 32> sorted{};
  sorted.fill(kNoNode);
  while (list != kNoNode) {
    NodeIndex carry = list;
    list = frames_.next(list);
    if (list != kNoNode) {
      __builtin_prefetch(&frames_[list]);
    }
    frames_.next(carry) = kNoNode;
    std::size_t size = 0;
    for (; sorted[size] != kNoNode; ++size) {
      carry = merge(sorted[size], carry);
      sorted[size] = kNoNode;
    }
    sorted[size] = carry;
  }
  NodeIndex all = kNoNode;
  for (const NodeIndex some : sorted) {
    all = merge(some, all);
  }
  return all;
}

NodeIndex TimingWheel::merge(NodeIndex a, NodeIndex b) {
  NodeIndex first = kNoNode;
  NodeIndex* end = &first;
  while (a != kNoNode && b != kNoNode) {
    NodeIndex& least = before(b, a) ? b : a;
    *end = least;
    end = &frames_.next(least);
    least = *end;
  }
  *end = a != kNoNode ? a : b;
  return first;
}

}  // namespace hilgate

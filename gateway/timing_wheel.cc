// SPDX-License-Identifier: Apache-2.0
#include "gateway/timing_wheel.h"

#include <algorithm>
#include <array>
#include <limits>

namespace hilgate {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace

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
  place(node);
  return true;
}

void TimingWheel::pop_first() {
  const NodeIndex node = front_;
  front_ = frames_.next(node);
  frames_.give_back(node);
  --size_;
}

// Sorts what the clock has reached. Sets wake_ when nothing is due.
const HeldFrame* TimingWheel::settle(HostTime now) {
  if (late_ != kNoNode) {
    front_ = merge(front_, sort(late_));
    late_ = kNoNode;
  }
  while (front_ == kNoNode) {
    if (!load_next(now)) {
      return nullptr;
    }
  }
  wake_ = frames_[front_].due;
  return wake_ <= now ? &frames_[front_] : nullptr;
}

// Takes one step towards `now`: a slot to the front, or a coarse slot to fine ones. False when the next one begins
// after `now`.
bool TimingWheel::load_next(HostTime now) {
  const Slot fine = next_fine();
  const Slot coarse = next_coarse();
  const Slot next = std::min(fine, coarse);
  if (next > slot_of(now)) {
    cursor_ = std::max(cursor_, slot_of(now));
    wake_ = next == kNever ? HostTime::max() : start_of(next);
    return false;
  }
  if (coarse > fine) {
    front_ = sort(fine_.take(ring(fine)));
    cursor_ = fine + 1;
    return true;
  }
  cursor_ = std::max(cursor_, coarse);
  for (NodeIndex node = coarse_.take(ring(coarse >> WheelLevel::kBits)); node != kNoNode;) {
    const NodeIndex rest = frames_.next(node);
    place(node);
    node = rest;
  }
  return true;
}

void TimingWheel::place(NodeIndex node) {
  const Slot slot = slot_of(frames_[node].due);
  if (slot < cursor_) {
    return put_in_front(late_, node);
  }
  WheelLevel* level = &fine_;
  std::uint32_t at = ring(slot);
  if (slot - cursor_ >= WheelLevel::kSlots) {
    level = &coarse_;
    at = ring(std::min(slot >> WheelLevel::kBits, (cursor_ >> WheelLevel::kBits) + WheelLevel::kSlots - 1));
  }
  frames_.next(node) = level->head(at);
  level->set_head(at, node);
}

void TimingWheel::put_in_front(NodeIndex& list, NodeIndex node) {
  frames_.next(node) = list;
  list = node;
}

TimingWheel::Slot TimingWheel::next_fine() const {
  return fine_.empty() ? kNever : cursor_ + fine_.distance(ring(cursor_));
}

// The first fine slot of the next coarse one.
TimingWheel::Slot TimingWheel::next_coarse() const {
  const Slot now = cursor_ >> WheelLevel::kBits;
  return coarse_.empty() ? kNever : (now + coarse_.distance(ring(now))) << WheelLevel::kBits;
}

HostTime TimingWheel::next_due() const {
  HostTime first = std::min(earliest(late_), front_ != kNoNode ? frames_[front_].due : HostTime::max());
  if (!fine_.empty()) {
    first = std::min(first, earliest(fine_.head(ring(next_fine()))));
  }
  // What is due later than the ring reaches waits in a slot that is not its own, before others.
  const Slot now = cursor_ >> WheelLevel::kBits;
  for (Slot ahead = 0; !coarse_.empty() && ahead < WheelLevel::kSlots; ++ahead) {
    ahead += coarse_.distance(ring(now + ahead));
    if (ahead >= WheelLevel::kSlots || start_of((now + ahead) << WheelLevel::kBits) > first) {
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
  std::array<NodeIndex, 32> sorted;
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

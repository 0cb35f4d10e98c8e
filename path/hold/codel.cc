// SPDX-License-Identifier: Apache-2.0
#include "path/hold/codel.h"

#include <cmath>

namespace hilgate {

HostTime CoDel::next_after(HostTime instant) const {
  return instant + Nanoseconds{std::llround(static_cast<double>(interval_.count()) / std::sqrt(count_))};
}

// The RFC's dodequeue().
bool CoDel::stays_above(const QueueHead& head) {
  longest_ = std::max(longest_, head.bytes);
  if (head.waited < target_ || head.left <= longest_) {
    above_ = false;
    return false;
  }
  if (!above_) {
    above_ = true;
    above_until_ = head.now + interval_;
    return false;
  }
  return head.now >= above_until_;
}

QueueVerdict CoDel::take(const QueueHead& head) const {
  return ecn_ && head.capable ? QueueVerdict::kMark : QueueVerdict::kDrop;
}

// The RFC's deque(), a frame at a time: what it does with the frame after a drop is done when that one is judged.
QueueVerdict CoDel::judge(const QueueHead& head) {
  constexpr std::int64_t kRecent = 16;  // intervals, in which a series continues at the rate of the one before
  const bool above = stays_above(head);
  if (dropping_) {
    if (!above) {
      dropping_ = follows_drop_ = false;
      return QueueVerdict::kPass;
    }
    if (follows_drop_) {
      follows_drop_ = false;
      next_ = next_after(next_);
    }
    if (head.now < next_) {
      return QueueVerdict::kPass;
    }
    ++count_;
    const QueueVerdict verdict = take(head);
    if (verdict == QueueVerdict::kMark) {
      next_ = next_after(next_);
    } else {
      follows_drop_ = true;
    }
    return verdict;
  }
  if (!above) {
    return QueueVerdict::kPass;
  }
  dropping_ = true;
  const std::uint32_t of_last = count_ - last_count_;
  count_ = of_last > 1 && head.now - next_ < kRecent * interval_ ? of_last : 1;
  next_ = next_after(head.now);
  last_count_ = count_;
  return take(head);
}

}  // namespace hilgate

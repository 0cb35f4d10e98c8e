// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "frame/slab.h"

namespace hilgate {

/// Lists of deliveries between two transmissions, each until an instant: on the cable between access points, or in a
/// station that forwards it. First by instant, then in the order in which they were put in. Used by one thread. Does
/// not allocate after construction, as long as there are no more loads than it has room for.
class DueLists {
 public:
  /// The deliveries of one frame, a list.
  struct Load {
    HostTime due;
    std::uint64_t order;
    NodeIndex list;
  };

  explicit DueLists(std::size_t loads) { loads_.reserve(loads); }

  /// Does nothing for an empty list.
  void push(NodeIndex list, HostTime due) {
    if (list != kNoNode) {
      loads_.push_back({due, order_++, list});
      std::push_heap(loads_.begin(), loads_.end(), Later{});
    }
  }
  /// HostTime::max() when there is nothing.
  [[nodiscard]] HostTime next_due() const { return loads_.empty() ? HostTime::max() : loads_.front().due; }
  /// What is due first. Requires that there is something.
  Load pop() {
    std::pop_heap(loads_.begin(), loads_.end(), Later{});
    const Load first = loads_.back();
    loads_.pop_back();
    return first;
  }
  /// Hands all lists to each(NodeIndex), in no order.
  template <class Each>
  void drain(Each each) {
    for (const Load& load : loads_) {
      each(load.list);
    }
    loads_.clear();
  }
  [[nodiscard]] std::size_t bytes() const { return loads_.capacity() * sizeof(Load); }

 private:
  struct Later {
    bool operator()(const Load& a, const Load& b) const { return a.due != b.due ? a.due > b.due : a.order > b.order; }
  };

  std::vector<Load> loads_;  // a heap by Later
  std::uint64_t order_ = 0;
};

}  // namespace hilgate

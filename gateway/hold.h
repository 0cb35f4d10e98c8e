// SPDX-License-Identifier: Apache-2.0
// The hold: deliveries waiting for their release time.
//
// Never early: pop_due(now) gives only what is due at `now`. In order: deliveries of one link leave in the order in
// which they were put in (a due time before that of its predecessor is raised to it), and those due at the same
// instant leave in arrival order. One FIFO per link, and a heap over the links whose FIFO is not empty: a push or a
// pop costs O(log(links waiting)), not O(log(frames held)), and memory is touched in arrival order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "gateway/held_frame.h"

namespace hilgate {

/// Used by one thread. Does not allocate after construction.
class Hold {
 public:
  /// `frames` are the nodes lists are made of; it must outlive the hold. `links`: number of LinkIds.
  Hold(HeldFrames& frames, std::size_t links);

  /// Puts in a node with frame, link and due set. Takes it over.
  void push(NodeIndex node);

  /// The node due first, if it is due at `now`; else kNoNode. The caller takes it over.
  NodeIndex pop_due(HostTime now);

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// When the next delivery is due; requires !empty().
  [[nodiscard]] HostTime next_due() const { return heap_.front().due; }

 private:
  struct Fifo {
    NodeIndex head = kNoNode;
    NodeIndex tail = kNoNode;
    HostTime last_due{};  // stays when the FIFO runs empty
  };
  // A copy of the head's key, so that sifting does not touch the frames.
  struct Entry {
    HostTime due;
    std::uint64_t order;
    std::uint32_t link;
    [[nodiscard]] bool before(const Entry& other) const {
      return due != other.due ? due < other.due : order < other.order;
    }
  };

  [[nodiscard]] Entry entry_of(NodeIndex node) const;
  void sift_up(std::size_t hole, const Entry& entry);
  void sift_down(std::size_t hole, const Entry& entry);

  HeldFrames* frames_;
  std::vector<Fifo> fifos_;  // by LinkId
  std::vector<Entry> heap_;  // binary, least first; capacity reserved for all links
  std::uint64_t next_order_ = 0;
};

}  // namespace hilgate

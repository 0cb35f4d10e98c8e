// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/large_pages.h"

namespace hilgate {

/// Index of a node in a slab; kNoNode ends a list.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xFFFF'FFFF;

/// Fixed number of nodes with a free list in them. Nodes have a member `next`. The node given back last is taken
/// first, because it is still in the cache. Does not allocate after construction; used by one thread.
template <class Node>
class Slab {
 public:
  explicit Slab(std::size_t capacity) : nodes_(capacity) {
    for (std::size_t i = 0; i < capacity; ++i) {
      nodes_[i].next = i + 1 < capacity ? static_cast<NodeIndex>(i + 1) : kNoNode;
    }
    free_ = capacity > 0 ? 0 : kNoNode;
  }

  /// kNoNode when all are in use. The node's content is what its last user left.
  NodeIndex take() {
    const NodeIndex node = free_;
    if (node != kNoNode) {
      free_ = nodes_[node].next;
      ++used_;
    }
    return node;
  }
  void give_back(NodeIndex node) {
    nodes_[node].next = free_;
    free_ = node;
    --used_;
  }

  Node& operator[](NodeIndex node) { return nodes_[node]; }
  const Node& operator[](NodeIndex node) const { return nodes_[node]; }
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t capacity() const { return nodes_.size(); }
  [[nodiscard]] std::size_t bytes() const { return nodes_.size() * sizeof(Node); }

 private:
  std::vector<Node, LargePageAllocator<Node>> nodes_;
  NodeIndex free_ = kNoNode;
  std::size_t used_ = 0;
};

}  // namespace hilgate

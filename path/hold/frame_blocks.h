// SPDX-License-Identifier: Apache-2.0
// The memory of the hold: blocks of 32 deliveries that its FIFOs and its timing wheel share.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "frame/slab.h"
#include "path/hold/held_frame.h"

namespace hilgate {

struct FrameBlock {
  static constexpr std::uint32_t kFrames = 32;

  NodeIndex next = kNoNode;  // first: read-ahead reads it long before the frames that follow
  // Of the wheel alone: the list that each frame is in, and which indices are free.
  NodeIndex previous = kNoNode;
  std::uint32_t free = 0;
  // Of FIFOs alone: which deliveries are not plain, by index.
  std::uint32_t altered = 0;
  HeldFrame frames[kFrames];
  NodeIndex chain[kFrames]{};
};

/// Single deliveries in blocks of a slab that others take whole blocks from. A delivery is named by
/// block * kFrames + index. Does not allocate; used by one thread.
class LooseFrames {
 public:
  /// `blocks` must outlive it.
  explicit LooseFrames(Slab<FrameBlock>& blocks) : blocks_(&blocks) {}

  /// kNoNode when there is no room.
  NodeIndex take() {
    if (partial_ == kNoNode && !add_block()) {
      return kNoNode;
    }
    FrameBlock& block = (*blocks_)[partial_];
    const auto index = static_cast<std::uint32_t>(std::countr_zero(block.free));
    const NodeIndex node = partial_ * FrameBlock::kFrames + index;
    block.free &= block.free - 1;
    if (block.free == 0) {
      unlink(partial_);
    }
    return node;
  }

  void give_back(NodeIndex node) {
    const NodeIndex index = node / FrameBlock::kFrames;
    FrameBlock& block = (*blocks_)[index];
    const bool was_full = block.free == 0;
    block.free |= std::uint32_t{1} << node % FrameBlock::kFrames;
    if (was_full) {
      link(index);
    } else if (block.free == kAllFree) {
      unlink(index);
      blocks_->give_back(index);
    }
  }

  HeldFrame& operator[](NodeIndex node) {
    return (*blocks_)[node / FrameBlock::kFrames].frames[node % FrameBlock::kFrames];
  }
  const HeldFrame& operator[](NodeIndex node) const {
    return (*blocks_)[node / FrameBlock::kFrames].frames[node % FrameBlock::kFrames];
  }
  /// What follows `node` in its list.
  NodeIndex& next(NodeIndex node) { return (*blocks_)[node / FrameBlock::kFrames].chain[node % FrameBlock::kFrames]; }
  [[nodiscard]] NodeIndex next(NodeIndex node) const {
    return (*blocks_)[node / FrameBlock::kFrames].chain[node % FrameBlock::kFrames];
  }

 private:
  static constexpr std::uint32_t kAllFree = 0xFFFF'FFFF;
  static_assert(FrameBlock::kFrames == 32);

  bool add_block() {
    const NodeIndex index = blocks_->take();
    if (index == kNoNode) {
      return false;
    }
    (*blocks_)[index].free = kAllFree;
    link(index);
    return true;
  }
  void link(NodeIndex index) {
    FrameBlock& block = (*blocks_)[index];
    block.previous = kNoNode;
    block.next = partial_;
    if (partial_ != kNoNode) {
      (*blocks_)[partial_].previous = index;
    }
    partial_ = index;
  }
  void unlink(NodeIndex index) {
    const FrameBlock& block = (*blocks_)[index];
    (block.previous != kNoNode ? (*blocks_)[block.previous].next : partial_) = block.next;
    if (block.next != kNoNode) {
      (*blocks_)[block.next].previous = block.previous;
    }
  }

  Slab<FrameBlock>* blocks_;
  NodeIndex partial_ = kNoNode;  // blocks with free indices, linked both ways
};

}  // namespace hilgate

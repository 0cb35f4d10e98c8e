// SPDX-License-Identifier: Apache-2.0
#include "gateway/hold.h"

namespace hilgate {

Hold::Hold(HeldFrames& frames, std::size_t links) : frames_(&frames), fifos_(links) {
  heap_.reserve(links);
}

void Hold::push(NodeIndex node) {
  HeldFrame& held = (*frames_)[node];
  Fifo& fifo = fifos_[held.link.value()];
  held.due = held.due > fifo.last_due ? held.due : fifo.last_due;
  held.order = next_order_++;
  held.next = kNoNode;
  fifo.last_due = held.due;
  if (fifo.head != kNoNode) {
    (*frames_)[fifo.tail].next = node;
    fifo.tail = node;
    return;
  }
  fifo.head = fifo.tail = node;
  const Entry entry = entry_of(node);
  heap_.push_back(entry);
  sift_up(heap_.size() - 1, entry);
}

NodeIndex Hold::pop_due(HostTime now) {
  if (heap_.empty() || heap_.front().due > now) {
    return kNoNode;
  }
  Fifo& fifo = fifos_[heap_.front().link];
  const NodeIndex node = fifo.head;
  fifo.head = (*frames_)[node].next;
  if (fifo.head != kNoNode) {
    sift_down(0, entry_of(fifo.head));
  } else {
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      sift_down(0, last);
    }
  }
  return node;
}

Hold::Entry Hold::entry_of(NodeIndex node) const {
  const HeldFrame& held = (*frames_)[node];
  return {held.due, held.order, held.link.value()};
}

void Hold::sift_up(std::size_t hole, const Entry& entry) {
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 2;
    if (!entry.before(heap_[parent])) {
      break;
    }
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = entry;
}

void Hold::sift_down(std::size_t hole, const Entry& entry) {
  for (;;) {
    std::size_t child = 2 * hole + 1;
    if (child >= heap_.size()) {
      break;
    }
    if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) {
      ++child;
    }
    if (!heap_[child].before(entry)) {
      break;
    }
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = entry;
}

}  // namespace hilgate

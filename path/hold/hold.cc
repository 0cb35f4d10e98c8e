// SPDX-License-Identifier: Apache-2.0
#include "path/hold/hold.h"

#include <algorithm>
#include <bit>

namespace hilgate {
namespace {

// A link's first and last block may be partly used. Room for that on every link, as long as it does not become the
// larger part of the memory.
std::size_t blocks_for(std::size_t frames, std::size_t links) {
  const std::size_t full = (frames + Hold::kBlockFrames - 1) / Hold::kBlockFrames;
  return full + std::min(2 * links, full + 64);
}

}  // namespace

Hold::Hold(std::size_t frames, std::size_t links, std::size_t senders, HoldCaches caches)
    : caches_(caches),
      blocks_(blocks_for(frames, links)),
      wheel_(blocks_),
      fifos_(links),
      capacity_(frames),
      reciprocal_((std::uint64_t{1} << kShift) / std::max<std::size_t>(links / std::max<std::size_t>(senders, 1), 1) +
                  1),
      by_sender_(std::max<std::size_t>(senders, 1) + 1),
      leads_ns_(links) {
  heap_.reserve(links);
}

bool Hold::grow(Fifo& fifo) {
  const NodeIndex block = blocks_.take();
  if (block == kNoNode) {
    return false;
  }
  blocks_[block].next = kNoNode;
  blocks_[block].altered = 0;
  if (fifo.tail != kNoNode) {
    blocks_[fifo.tail].next = block;
  } else {
    fifo.head = block;
    fifo.head_at = 0;
  }
  fifo.tail = block;
  fifo.tail_at = 0;
  return true;
}

// The frames of the first link that are due and come before every other link's and the first loose one that is due,
// up to the end of its block.
DueRun Hold::due_run(LinkSlot link, HostTime now, const HeldFrame* loose) {
  const Fifo& fifo = fifos_[link.value()];
  FrameBlock& block = blocks_[fifo.head];
  const std::uint32_t end = fifo.head == fifo.tail ? fifo.tail_at : kBlockFrames;
  Key limit = loose != nullptr ? key_of(*loose, loose->link) : kAfterAll;
  for (std::size_t child = 1; child < heap_.size() && child <= 2; ++child) {
    limit = heap_[child].before(limit) ? heap_[child] : limit;
  }
  const Nanoseconds lead = lead_of(link);
  const auto leaves = [&](const HeldFrame& held) {
    const Key key{held.due - lead, held.order, 0};
    return key.leaves <= now && key.before(limit);
  };
  // The head itself is due: it is the heap's first. Mostly all are, so that the last is looked at before the others: a
  // loop over them ends where the processor does not expect it.
  HeldFrame* const first = block.frames + fifo.head_at;
  HeldFrame* const last = block.frames + end - 1;
  HeldFrame* const end_of_run =
      leaves(*last) ? last + 1 : std::partition_point(first + 1, std::max(first + 1, last), leaves);
  const auto count = static_cast<std::size_t>(end_of_run - first);
  const auto plain = static_cast<std::size_t>(std::countr_zero(block.altered >> fifo.head_at));
  return {link, {first, count}, std::min(plain, count)};
}

// The first loose frame, which is due and comes before all in FIFOs, and those of its link that follow it.
DueRun Hold::take_loose_run(HostTime now) {
  const Key limit = heap_.empty() ? kAfterAll : heap_.front();
  std::size_t count = 0;
  const HeldFrame* next = first_loose(now);
  do {
    loose_run_[count++] = *next;
    wheel_.pop_first();
    next = first_loose(now);
  } while (next != nullptr && count < loose_run_.size() && next->link == loose_run_[0].link &&
           key_of(*next, next->link).before(limit));
  size_ -= count;
  const std::span<HeldFrame> run(loose_run_.data(), count);
  const auto plain = std::ranges::find_if_not(run, &HeldFrame::is_plain) - run.begin();
  return {run.front().link, run, static_cast<std::size_t>(plain)};
}

HostTime Hold::next_due() const {
  const HostTime in_order = heap_.empty() ? HostTime::max() : heap_.front().leaves;
  return wheel_.empty() ? in_order : std::min(in_order, wheel_.next_due() - longest_lead_);
}

void Hold::order_anew() {
  for (Key& key : heap_) {
    const Fifo& fifo = fifos_[key.link];
    key.leaves = blocks_[fifo.head].frames[fifo.head_at].due - lead_of(LinkSlot{key.link});
  }
  std::ranges::make_heap(heap_, [](const Key& a, const Key& b) { return b.before(a); });
}

void Hold::consume(LinkSlot link, std::size_t count) {
  Fifo& fifo = fifos_[link.value()];
  const auto gone = static_cast<std::uint32_t>(count);
  fifo.head_at = static_cast<std::uint16_t>(fifo.head_at + gone);
  fifo.ahead -= std::min(fifo.ahead, gone);
  fifo.size -= gone;
  size_ -= count;
  if (fifo.size == 0) {
    blocks_.give_back(fifo.head);
    fifo.head = fifo.tail = kNoNode;
    heap_.front() = heap_.back();
    heap_.pop_back();
  } else {
    if (fifo.head_at == kBlockFrames) {
      const NodeIndex spent = fifo.head;
      fifo.head = blocks_[spent].next;
      fifo.head_at = 0;
      blocks_.give_back(spent);
    }
    const HeldFrame& head = blocks_[fifo.head].frames[fifo.head_at];
    heap_.front().leaves = head.due - lead_of(link);
    heap_.front().order = head.order;
  }
  if (!heap_.empty()) {
    sift_down(0);
  }
}

void Hold::sift_up(std::size_t hole) {
  const Key entry = heap_[hole];
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

void Hold::sift_down(std::size_t hole) {
  const Key entry = heap_[hole];
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

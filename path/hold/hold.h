// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/slab.h"
#include "netsim_link/link_state.h"
#include "path/hold/frame_blocks.h"
#include "path/hold/held_frame.h"
#include "path/hold/timing_wheel.h"

namespace hilgate {

/// How many deliveries fit a processor's second cache. These values change how fast the hold is, and nothing else.
struct HoldCaches {
  std::size_t cold = 1024;       // held: from so many on, what is due is fetched before it is sent
  std::size_t cold_link = 8192;  // held on one link: from so many on, what leaves soon is fetched at each push
  std::uint32_t ahead = 512;     // deliveries that are fetched before they leave, for some iterations of uneven length

  /// Of a cache of `bytes`. A held frame is some five lines: three of its buffer, one of the hold, and what is on its
  /// way in and out.
  static HoldCaches of(std::size_t bytes) {
    constexpr std::size_t kFrame = std::size_t{5} * 64;
    const std::size_t frames = std::max(bytes, std::size_t{128} * 1024) / kFrame;
    return {.cold = frames / 2,
            .cold_link = 5 * frames,
            .ahead = static_cast<std::uint32_t>(std::min<std::size_t>(frames / 3, 1024))};
  }
};

}  // namespace hilgate

// The hold: deliveries waiting for their release time.
//
// Never early: pop_due(now) gives only what is due at `now`, or so much later as the link's lead. In order: deliveries
// of one link leave in the order in which they were put in (a due time before that of a predecessor still held is
// raised to it), and those due at the same instant leave in arrival order. One FIFO per link, and a heap over the links
// whose FIFO is not empty: a push costs the same however many frames are held, a pop O(log(links waiting)) per run of
// frames of one link. FIFOs are chains of blocks, so that memory is read in the order it was written. Frames held for
// long have left the cache: look_ahead() names those that leave soon, a few at each push, so that memory works while
// fates are drawn. Deliveries that may overtake others of their link wait in a timing wheel, in the same blocks; what
// leaves the two is one order.

namespace hilgate {

/// Deliveries of one link that leave one after the other.
struct DueRun {
  LinkSlot link;
  std::span<HeldFrame> frames;
  std::size_t plain;  // so many at the front are plain; the next one, if there is one, is not
};

/// Used by one thread. Does not allocate after construction.
class Hold {
  struct Fifo;

 public:
  /// Room for `frames` deliveries on `links` links. With very many links, each holding a few frames, blocks may run
  /// out before (each link that holds anything takes at least one block of kBlockFrames, and so does what is loose).
  /// `senders`: links are numbered by their sender first, of which there are so many.
  Hold(std::size_t frames, std::size_t links, std::size_t senders = 1, HoldCaches caches = {});
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  /// False when it is full. Sets the order; raises `due` to that of the link's frame before, if that is still held.
  // Inlined by order: a delivery that goes through memory on its way here costs the path a tenth of its rate.
  [[gnu::always_inline]] bool push(LinkSlot link, const HeldFrame& held) {
    Fifo& fifo = fifos_[link.value()];
    if (size_ == capacity_ || (tail_is_full(fifo) && !grow(fifo))) {
      return false;
    }
    FrameBlock& block = blocks_[fifo.tail];
    if (!held.is_plain()) {
      block.altered |= bit(fifo.tail_at);
    }
    HeldFrame& kept = block.frames[fifo.tail_at++];
    kept = held;
    kept.due = fifo.last_due = fifo.size > 0 ? std::max(held.due, fifo.last_due) : held.due;
    kept.order = next_order_++;
    if (fifo.size++ == 0) {
      add_to_heap(key_of(kept, link));
    }
    ++size_;
    ++by_sender_[sender_of(link)];
    return true;
  }

  /// Deliveries of one link, put in one after the other as push() does: what they change of the hold is written once,
  /// at the end. While it is there, nothing else is done with the hold.
  class Entry {
   public:
    /// At most `room` deliveries.
    Entry(Hold& hold, LinkSlot link, std::size_t room)
        : hold_(hold),
          fifo_(hold.fifos_[link.value()]),
          link_(link),
          room_(std::min(room, hold.capacity_ - hold.size_)),
          order_(hold.next_order_),
          last_due_(fifo_.size > 0 ? fifo_.last_due : HostTime::min()) {
      begin_block();
    }
    ~Entry() { settle(); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    /// False when there is no room. Takes another block where the last one is full. Requires a plain delivery.
    [[gnu::noinline]] bool put(const HeldFrame& held) {
      if (room_ == 0 || (at_ == end_ && !next_block())) {
        return false;
      }
      *at_ = held;
      at_->due = last_due_ = std::max(held.due, last_due_);
      at_->order = order_++;
      ++at_;
      --room_;
      return true;
    }
    /// Has next(HeldFrame&) write delivery after delivery, all of them plain, up to the end of the block or of the
    /// room: then true. False when next() has returned false instead of writing one.
    template <class Next>
    [[gnu::always_inline]] bool put_while(Next&& next) {
      // Copies, which stay in registers.
      HeldFrame* at = at_;
      HeldFrame* const end = at + std::min(room_, static_cast<std::size_t>(end_ - at));
      std::uint64_t order = order_;
      HostTime last_due = last_due_;
      bool more = true;
      for (; at != end && (more = next(*at)); ++at) {
        at->due = last_due = std::max(at->due, last_due);
        at->order = order++;
      }
      room_ -= static_cast<std::size_t>(at - at_);
      at_ = at;
      order_ = order;
      last_due_ = last_due;
      return more;
    }

   private:
    void begin_block() {
      if (fifo_.tail == kNoNode) {
        at_ = end_ = begin_ = nullptr;
        return;
      }
      FrameBlock& block = hold_.blocks_[fifo_.tail];
      at_ = begin_ = block.frames + fifo_.tail_at;
      end_ = block.frames + kBlockFrames;
    }
    bool next_block() {
      settle();
      if (!hold_.grow(fifo_)) {
        return false;
      }
      begin_block();
      return true;
    }
    void settle() {
      const auto count = static_cast<std::uint32_t>(at_ - begin_);
      if (count == 0) {
        return;
      }
      if (fifo_.size == 0) {
        hold_.add_to_heap(hold_.key_of(*begin_, link_));
      }
      fifo_.size += count;
      fifo_.tail_at = static_cast<std::uint16_t>(fifo_.tail_at + count);
      fifo_.last_due = last_due_;
      hold_.size_ += count;
      hold_.by_sender_[hold_.sender_of(link_)] += count;
      hold_.next_order_ = order_;
      begin_ = at_;
    }

    Hold& hold_;
    Fifo& fifo_;
    LinkSlot link_;
    std::size_t room_;
    std::uint64_t order_;
    HostTime last_due_;
    HeldFrame* begin_ = nullptr;  // of what is not yet in the account
    HeldFrame* at_ = nullptr;
    HeldFrame* end_ = nullptr;
  };

  /// So much is held that what is due has left the second cache.
  [[nodiscard]] bool cold() const { return size_ >= caches_.cold; }
  /// Whether look_ahead() does anything.
  [[nodiscard]] bool looks_ahead(LinkSlot link) const { return fifos_[link.value()].size >= caches_.cold_link; }

  /// For each push: hands deliveries of the link that leave soon to fetch(const HeldFrame&), each once. Does nothing
  /// while the link holds so little that it is in the cache anyway.
  template <class Fetch>
  void look_ahead(LinkSlot link, Fetch&& fetch) {
    Fifo& fifo = fifos_[link.value()];
    if (fifo.size < caches_.cold_link) {
      return;
    }
    // One for each, evenly: a processor waits when it has too many on their way.
    for (int i = fifo.ahead < caches_.ahead / 2 ? 2 : 1; i > 0 && fifo.ahead < caches_.ahead; --i) {
      fetch(std::as_const(next_ahead(fifo)));
    }
  }

  /// From now on deliveries of each link leave lead_of(LinkSlot) before they are due: the device that their receiver is
  /// reached by keeps the instant. [0 ns, 2 s]; 0 before the first call. O(links). What is loose leaves no earlier than
  /// the loose delivery that is due before it.
  template <class LeadOf>
  void set_leads(LeadOf lead_of) {
    longest_lead_ = Nanoseconds{0};
    for (std::uint32_t link = 0; link < leads_ns_.size(); ++link) {
      const Nanoseconds lead = lead_of(LinkSlot{link});
      leads_ns_[link] = static_cast<std::uint32_t>(lead.count());
      longest_lead_ = std::max(longest_lead_, lead);
    }
    order_anew();
  }

  /// The same as push() for a delivery that keeps its due time, before or after others of its link.
  [[gnu::noinline]] bool push_loose(LinkSlot link, HeldFrame held) {
    held.order = next_order_;
    held.link = link;
    if (size_ == capacity_ || !wheel_.push(held)) {
      return false;
    }
    ++next_order_;
    ++size_;
    ++by_sender_[sender_of(link)];
    return true;
  }

  /// Hands everything that is due at `now` to each(LinkSlot, std::span<HeldFrame>), in runs of one link, in the order
  /// of (due, arrival). The span is valid during the call.
  template <class Each>
  void pop_due(HostTime now, Each each) {
    while (pop_run(now, [&each](const DueRun& run) { each(run.link, run.frames); })) {
    }
  }

  /// The first of these runs alone, at most kBlockFrames deliveries, to each(DueRun); false when nothing is due.
  template <class Each>
  bool pop_run(HostTime now, Each&& each) {
    const bool in_order = !heap_.empty() && heap_.front().leaves <= now;
    const HeldFrame* const loose = first_loose(now);
    if (!in_order && loose == nullptr) {
      return false;
    }
    const bool loose_first = loose != nullptr && !(in_order && heap_.front().before(key_of(*loose, loose->link)));
    const DueRun run = loose_first ? take_loose_run(now) : due_run(LinkSlot{heap_.front().link}, now, loose);
    by_sender_[sender_of(run.link)] -= run.frames.size();
    each(run);  // once in this function: the compiler inlines what a packet loop passes here only then
    if (!loose_first) {
      consume(run.link, run.frames.size());
    }
    return true;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Of all links of this one's sender.
  [[nodiscard]] std::size_t held_by_sender(LinkSlot link) const { return by_sender_[sender_of(link)]; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// When the next delivery leaves, or somewhat before: when it is due, less its link's lead. Requires !empty().
  [[nodiscard]] HostTime next_due() const;
  [[nodiscard]] std::size_t bytes() const {
    return blocks_.bytes() + fifos_.size() * (sizeof(Fifo) + sizeof(Key) + sizeof(std::uint32_t)) +
           TimingWheel::bytes();
  }

  static constexpr std::uint32_t kBlockFrames = FrameBlock::kFrames;

 private:
  struct Fifo {
    NodeIndex head = kNoNode;
    NodeIndex tail = kNoNode;
    std::uint16_t head_at = 0;
    std::uint16_t tail_at = 0;
    std::uint32_t ahead = 0;  // deliveries from the head on that look_ahead() has handed out
    NodeIndex ahead_block = kNoNode;
    std::uint32_t size = 0;
    HostTime last_due{};  // of the frame put in last; means nothing when it has left
  };
  // A copy of the head's key, so that sifting does not touch the frames.
  struct Key {
    HostTime leaves;  // when it is due, less its link's lead
    std::uint64_t order;
    std::uint32_t link;
    [[nodiscard]] bool before(const Key& other) const {
      return leaves != other.leaves ? leaves < other.leaves : order < other.order;
    }
  };

  static constexpr Key kAfterAll{HostTime::max(), ~std::uint64_t{0}, 0};

  [[nodiscard]] Nanoseconds lead_of(LinkSlot link) const {
    return Nanoseconds{longest_lead_ == Nanoseconds{0} ? 0 : leads_ns_[link.value()]};
  }
  [[nodiscard]] Key key_of(const HeldFrame& held, LinkSlot link) const {
    return {held.due - lead_of(link), held.order, link.value()};
  }
  // The first loose delivery, if it leaves at `now`.
  [[nodiscard]] const HeldFrame* first_loose(HostTime now) {
    const HeldFrame* first = wheel_.first_due(now < HostTime::max() - longest_lead_ ? now + longest_lead_ : now);
    return first != nullptr && first->due - lead_of(first->link) <= now ? first : nullptr;
  }
  void order_anew();
  [[nodiscard]] static bool tail_is_full(const Fifo& fifo) {
    return fifo.tail == kNoNode || fifo.tail_at == kBlockFrames;
  }
  bool grow(Fifo& fifo);
  [[gnu::noinline]] void add_to_heap(Key entry) {
    heap_.push_back(entry);
    sift_up(heap_.size() - 1);
  }
  // Requires that more is held than was looked ahead to. What follows a block later comes, too.
  [[nodiscard]] HeldFrame& next_ahead(Fifo& fifo) {
    const std::uint32_t at = (fifo.head_at + fifo.ahead) % kBlockFrames;
    if (fifo.ahead == 0) {
      fifo.ahead_block = fifo.head;
    } else if (at == 0) {
      fifo.ahead_block = blocks_[fifo.ahead_block].next;
    }
    ++fifo.ahead;
    FrameBlock& block = blocks_[fifo.ahead_block];
    if (block.next != kNoNode) {
      __builtin_prefetch(&blocks_[block.next].frames[at], 0, 2);
    }
    return block.frames[at];
  }
  static constexpr std::uint32_t bit(std::uint32_t index) { return std::uint32_t{1} << index; }
  [[nodiscard]] DueRun due_run(LinkSlot link, HostTime now, const HeldFrame* loose);
  [[nodiscard]] DueRun take_loose_run(HostTime now);
  void consume(LinkSlot link, std::size_t count);
  void sift_up(std::size_t hole);
  void sift_down(std::size_t hole);

  // Division by multiplication: exact for up to 2^20 links of up to 2^20 to a sender.
  static constexpr unsigned kShift = 40;
  [[nodiscard]] std::size_t sender_of(LinkSlot link) const {
    return static_cast<std::size_t>((link.value() * reciprocal_) >> kShift);
  }

  const HoldCaches caches_;
  Slab<FrameBlock> blocks_;
  TimingWheel wheel_;
  std::vector<Fifo> fifos_;  // by LinkSlot
  std::vector<Key> heap_;    // binary, least first; capacity reserved for all links
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::uint64_t reciprocal_;  // 2^kShift over the links of a sender, rounded up
  std::vector<std::size_t> by_sender_;
  std::uint64_t next_order_ = 0;
  std::vector<std::uint32_t> leads_ns_;  // by LinkSlot
  Nanoseconds longest_lead_{0};
  std::array<HeldFrame, kBlockFrames> loose_run_;
};

}  // namespace hilgate

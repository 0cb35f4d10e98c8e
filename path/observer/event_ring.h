// SPDX-License-Identifier: Apache-2.0
// What one packet loop writes of frames, and one thread reads: events of different lengths in a ring of bytes.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "frame/counters.h"
#include "path/observer/frame_event.h"

namespace hilgate {

/// Events that found the ring full, by what a file counts them at. Written by the loop.
struct MissedEvents {
  MissedEvents(std::size_t ports, std::size_t robots) : captured(ports), injected(ports), towards(robots) {}

  std::vector<Counter> captured;  // by PortSlot
  std::vector<Counter> injected;  // by PortSlot
  std::vector<Counter> towards;   // released or dropped, by the receiver's slot
  Counter refused;
  Counter fates;
};

/// Bounded, wait-free. Does not allocate after construction.
class EventRing {
 public:
  /// Numbers that loops give to frames: of this session and this loop alone.
  struct Numbers {
    std::uint16_t session = 1;  // not 0
    std::uint64_t first = 1;    // not 0
    std::uint64_t step = 1;
  };

  /// `bytes`: of memory, rounded up to a power of two; an event takes half of it at most. `robots`: slots.
  EventRing(std::size_t bytes, std::size_t ports, std::size_t robots, const Numbers& numbers)
      : missed(ports, robots), memory_(std::bit_ceil(bytes) / sizeof(Word)), numbers_(numbers), next_(numbers.first) {}
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;

  MissedEvents missed;
  /// Bytes of each frame that are kept. Any thread.
  std::atomic<std::uint32_t> snaplen{0};

  // ---- the loop ----

  /// Room for an event, followed by `kept` bytes, initialised but for these; null when the ring is full.
  [[nodiscard]] FrameEvent* claim(std::uint32_t kept) noexcept {
    const std::uint64_t size = (sizeof(FrameEvent) + kept + sizeof(Word) - 1) / sizeof(Word) * sizeof(Word);
    const std::uint64_t at = written_.load(std::memory_order_relaxed);
    const std::uint64_t to_end = capacity() - offset(at);
    const std::uint64_t skipped = to_end < size ? to_end : 0;
    if (!has_room(at, skipped + size)) {
      return nullptr;
    }
    if (skipped > 0) {
      auto* skip = reinterpret_cast<FrameEvent*>(place(at));
      skip->size = static_cast<std::uint32_t>(skipped);
      skip->what = FrameEvent::What::kSkip;
    }
    claimed_ = at + skipped + size;
    auto* event = new (place(at + skipped)) FrameEvent;
    event->size = static_cast<std::uint32_t>(size);
    event->kept = kept;
    return event;
  }
  /// What was claimed last is there.
  void publish() noexcept { written_.store(claimed_, std::memory_order_release); }

  /// What is noted in a new frame's memory, and its number in events.
  [[nodiscard]] std::uint64_t next_mark() noexcept {
    const std::uint64_t number = next_;
    next_ += numbers_.step;
    return std::uint64_t{numbers_.session} << kNumberBits | number;
  }
  /// The number in a mark; 0 when it is no mark of this session.
  [[nodiscard]] std::uint64_t number_in(std::uint64_t mark) const noexcept {
    return mark >> kNumberBits == numbers_.session ? mark & ((std::uint64_t{1} << kNumberBits) - 1) : 0;
  }

  // ---- the reader ----

  /// Positions count bytes since the start: events lie between read() and written().
  [[nodiscard]] std::uint64_t written() const { return written_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t read() const { return read_.load(std::memory_order_relaxed); }
  [[nodiscard]] const FrameEvent& at(std::uint64_t position) const {
    return *reinterpret_cast<const FrameEvent*>(&memory_[offset(position) / sizeof(Word)]);
  }
  /// Done with what lies in front of `position`.
  void read_to(std::uint64_t position) { read_.store(position, std::memory_order_release); }

  [[nodiscard]] std::size_t bytes() const { return capacity(); }

 private:
  using Word = std::uint64_t;
  static constexpr unsigned kNumberBits = 48;
  static constexpr std::size_t kLine = 64;

  [[nodiscard]] std::uint64_t capacity() const { return memory_.size() * sizeof(Word); }
  [[nodiscard]] std::uint64_t offset(std::uint64_t position) const { return position & (capacity() - 1); }
  [[nodiscard]] Word* place(std::uint64_t position) { return &memory_[offset(position) / sizeof(Word)]; }
  [[nodiscard]] bool has_room(std::uint64_t at, std::uint64_t size) noexcept {
    if (at + size - seen_read_ > capacity()) {
      seen_read_ = read_.load(std::memory_order_acquire);
    }
    return at + size - seen_read_ <= capacity();
  }

  std::vector<Word> memory_;
  const Numbers numbers_;
  std::uint64_t next_;         // the writer's, as the next two
  std::uint64_t claimed_ = 0;  // end of the last claim
  std::uint64_t seen_read_ = 0;
  alignas(kLine) std::atomic<std::uint64_t> written_{0};
  alignas(kLine) std::atomic<std::uint64_t> read_{0};
};

}  // namespace hilgate

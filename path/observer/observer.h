// SPDX-License-Identifier: Apache-2.0
// A packet loop's side of a capture: records what happens to each frame while a capture runs. Without one it costs a
// comparison a burst. A frame's number is noted in its memory, where no port and no frame's bytes are, so that queues
// carry nothing for it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/frame.h"
#include "netsim_link/link_state.h"
#include "path/observer/event_ring.h"
#include "path/observer/frame_event.h"

namespace hilgate {

/// Used by one thread, but for write_to(). Does not allocate. All calls but those two require on().
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Any thread: events go there from the next iteration on; null: nowhere. The ring before is let go of at the end of
  /// this iteration.
  void write_to(EventRing* ring) { wanted_.store(ring, std::memory_order_release); }
  /// Between iterations.
  void look() noexcept {
    if (wanted_.load(std::memory_order_relaxed) != ring_) {
      ring_ = wanted_.load(std::memory_order_acquire);
    }
  }
  [[nodiscard]] bool on() const noexcept { return ring_ != nullptr; }

  /// Sets the time of the events that follow.
  void set_time(HostTime now) noexcept { now_ = std::max(now_, now); }
  [[nodiscard]] HostTime now() const noexcept { return now_; }

  /// A frame came in by `port` at `arrived`: gets its number.
  template <FramePool Pool>
  void captured(Pool& pool, const Frame& frame, PortSlot port, HostTime arrived) noexcept {
    const std::uint64_t mark = ring_->next_mark();
    std::memcpy(pool.note(frame), &mark, sizeof mark);
    set_time(arrived);
    if (FrameEvent* event = begin(pool, frame, FrameEvent::What::kCaptured)) {
      event->port = port;
      event->at = arrived;
      ring_->publish();
    } else {
      ring_->missed.captured[port.value()].add();
    }
  }

  /// What one fate is to a delivery, and the state of the air that it was drawn from.
  struct FateNote {
    LinkSlot link;
    LinkSlot air;
    FrameEvent::Way way = FrameEvent::Way::kWhole;
    std::uint64_t window = 0;
    const LinkState* radio = nullptr;  // null: the verdict is not of the radio
    BitHazard hazard{};
    Nanoseconds delay{0};
    std::uint32_t errors = 0;
    std::uint32_t failing_tries = 0;
    bool lost = false;
    bool copied = false;
  };
  template <FramePool Pool>
  void fated(Pool& pool, const Frame& frame, const FateNote& note) noexcept {
    FrameEvent* event = ring_->claim(0);
    if (event == nullptr) {
      return ring_->missed.fates.add();
    }
    fill(pool, frame, FrameEvent::What::kFate, *event);
    event->link = note.link;
    event->air = note.air;
    event->way = note.way;
    event->lost = note.lost;
    event->copied = note.copied;
    event->window = note.window;
    event->has_radio = note.radio != nullptr && note.radio->rssi_dbm != 0;
    event->snr_db = note.radio != nullptr ? note.radio->snr_db : 0;
    event->hazard = note.hazard;
    event->delay = note.delay;
    event->errors = note.errors;
    event->failing_tries = note.failing_tries;
    ring_->publish();
  }

  /// Transmissions failed that the fate of a delivery has not counted.
  template <FramePool Pool>
  void failed_again(Pool& pool, const Frame& frame, LinkSlot link, std::uint32_t tries) noexcept {
    FrameEvent* event = ring_->claim(0);
    if (event == nullptr) {
      return ring_->missed.fates.add();
    }
    fill(pool, frame, FrameEvent::What::kFate, *event);
    event->link = link;
    event->again = true;
    event->failing_tries = tries;
    ring_->publish();
  }

  /// A port is about to take a delivery, or to refuse it: its bytes are the port's afterwards. `due` empty: at once.
  template <FramePool Pool>
  void releasing(Pool& pool, const Frame& frame, LinkSlot link, std::optional<HostTime> due) noexcept {
    releasing_ = begin(pool, frame, FrameEvent::What::kReleased);
    if (releasing_ != nullptr) {
      releasing_->link = link;
      releasing_->due = due.value_or(HostTime::min());
      releasing_->at = due ? std::max(now_, *due) : now_;  // what is made ready before its time leaves in time
    }
  }
  /// The port has taken it. A delivery that it refused is reported as dropped instead.
  void released(LinkSlot link) noexcept { releasing_ != nullptr ? ring_->publish() : miss(link); }

  template <FramePool Pool>
  void dropped(Pool& pool, const Frame& frame, LinkSlot link, DropReason reason) noexcept {
    if (FrameEvent* event = begin(pool, frame, FrameEvent::What::kDropped)) {
      event->link = link;
      event->reason = reason;
      ring_->publish();
    } else {
      miss(link);
    }
  }
  template <FramePool Pool>
  void refused(Pool& pool, const Frame& frame, DropReason reason) noexcept {
    if (FrameEvent* event = begin(pool, frame, FrameEvent::What::kRefused)) {
      event->reason = reason;
      ring_->publish();
    } else {
      ring_->missed.refused.add();
    }
  }
  /// A frame of the gateway's own; without `lost` it has been released.
  void injected(std::span<const std::byte> frame, PortSlot port, std::optional<DropReason> lost) noexcept {
    const std::size_t kept = std::min<std::size_t>(frame.size(), ring_->snaplen.load(std::memory_order_relaxed));
    FrameEvent* event = ring_->claim(static_cast<std::uint32_t>(kept));
    if (event == nullptr) {
      return ring_->missed.injected[port.value()].add();
    }
    event->what = FrameEvent::What::kInjected;
    event->packet = ring_->number_in(ring_->next_mark());
    event->port = port;
    event->lost = lost.has_value();
    event->reason = lost.value_or(DropReason{});
    event->length = static_cast<std::uint32_t>(frame.size());
    event->at = now_;
    std::memcpy(event + 1, frame.data(), kept);
    ring_->publish();
  }

  /// `to` is a private copy of `from`: it stands for the same frame.
  template <FramePool Pool>
  static void copied(Pool& pool, const Frame& from, const Frame& to) noexcept {
    std::memcpy(pool.note(to), pool.note(from), kNoteBytes);
  }

 private:
  // Links are numbered by their sender first.
  void miss(LinkSlot link) noexcept { ring_->missed.towards[link.value() % ring_->missed.towards.size()].add(); }
  // An event with the frame's first bytes; null when there is no room.
  template <FramePool Pool>
  [[nodiscard]] FrameEvent* begin(Pool& pool, const Frame& frame, FrameEvent::What what) noexcept {
    const std::uint32_t kept = std::min(frame.length, ring_->snaplen.load(std::memory_order_relaxed));
    FrameEvent* event = ring_->claim(kept);
    if (event == nullptr) {
      return nullptr;
    }
    fill(pool, frame, what, *event);
    auto* to = reinterpret_cast<std::byte*>(event + 1);
    if (kept <= frame.head_length) {
      std::memcpy(to, frame.data, kept);
      return event;
    }
    std::size_t left = kept;
    pool.for_each_segment(frame, [&](std::span<std::byte> segment) {
      const std::size_t part = std::min(left, segment.size());
      std::memcpy(to, segment.data(), part);
      to += part;
      left -= part;
    });
    event->kept = kept - static_cast<std::uint32_t>(left);
    return event;
  }
  template <FramePool Pool>
  void fill(Pool& pool, const Frame& frame, FrameEvent::What what, FrameEvent& event) noexcept {
    std::uint64_t mark = 0;
    std::memcpy(&mark, pool.note(frame), sizeof mark);
    event.what = what;
    event.packet = ring_->number_in(mark);
    event.length = frame.length;
    event.at = now_;
  }

  std::atomic<EventRing*> wanted_{nullptr};
  EventRing* ring_ = nullptr;
  FrameEvent* releasing_ = nullptr;  // claimed, not published
  HostTime now_{};
};

}  // namespace hilgate

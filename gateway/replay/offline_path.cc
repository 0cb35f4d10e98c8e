// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/offline_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/frame.h"
#include "gateway/run/planes/configured_path.h"
#include "path/frame_path.h"
#include "path/host_clock.h"
#include "path/observer/event_ring.h"

namespace hilgate {

// Frame memory and ports of a gateway that runs without any: ordinary vectors, which grow.

/// Models FramePool. Each frame is in one piece, with room for a VLAN tag in front of it.
class OfflineMemory {
 public:
  /// A frame with one owner, of `length` bytes; those after `bytes` are 0.
  Frame add(std::span<const std::byte> bytes, std::uint32_t length, HostTime arrived) {
    const BufferId id = take();
    Buffer& buffer = buffers_[id];
    buffer.bytes.assign(kRoom + length, std::byte{0});
    std::copy_n(bytes.begin(), std::min<std::size_t>(bytes.size(), length), buffer.bytes.begin() + kRoom);
    buffer.start = kRoom;
    buffer.arrived = arrived;
    return frame_of(id);
  }

  void share(const Frame& frame, std::uint32_t owners) { buffers_[frame.buffer].owners += owners; }
  void free(const Frame& frame) {
    if (--buffers_[frame.buffer].owners == 0) {
      free_.push_back(frame.buffer);
    }
  }
  [[nodiscard]] bool is_shared(const Frame& frame) { return buffers_[frame.buffer].owners > 1; }
  std::optional<Frame> copy(const Frame& frame) {
    const BufferId id = take();
    Buffer& to = buffers_[id];
    const Buffer& from = buffers_[frame.buffer];
    to.bytes = from.bytes;
    to.start = from.start;
    to.arrived = from.arrived;
    return frame_of(id);
  }
  std::optional<Frame> make(std::span<const std::byte> bytes) {
    return add(bytes, static_cast<std::uint32_t>(bytes.size()), {});
  }
  bool move_start(Frame& frame, int by) {
    Buffer& buffer = buffers_[frame.buffer];
    if (by < 0 && buffer.start < static_cast<std::size_t>(-by)) {
      return false;
    }
    buffer.start = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(buffer.start) + by);
    frame = frame_of(frame.buffer);
    return true;
  }
  template <class Each>
  void for_each_segment(const Frame& frame, Each&& each) {
    Buffer& buffer = buffers_[frame.buffer];
    each(std::span<std::byte>(buffer.bytes).subspan(buffer.start));
  }
  [[nodiscard]] std::byte* note(const Frame& frame) { return buffers_[frame.buffer].note.data(); }
  void fetch(const Frame&) {}

 private:
  static constexpr std::size_t kRoom = 16;
  struct Buffer {
    std::vector<std::byte> bytes{};
    std::size_t start = 0;
    std::uint32_t owners = 0;
    HostTime arrived{};
    std::array<std::byte, kNoteBytes> note{};
  };

  BufferId take() {
    if (free_.empty()) {
      free_.push_back(buffers_.size());
      buffers_.emplace_back();
    }
    const BufferId id = free_.back();
    free_.pop_back();
    buffers_[id].owners = 1;
    buffers_[id].note = {};
    return id;
  }
  [[nodiscard]] Frame frame_of(BufferId id) {
    Buffer& buffer = buffers_[id];
    const auto length = static_cast<std::uint32_t>(buffer.bytes.size() - buffer.start);
    return {.buffer = id,
            .data = buffer.bytes.data() + buffer.start,
            .arrived = buffer.arrived,
            .length = length,
            .head_length = length};
  }

  std::deque<Buffer> buffers_;  // by BufferId; they stay where they are
  std::vector<BufferId> free_;
};
static_assert(FramePool<OfflineMemory>);

/// Models FramePort: frames come in by arrive(), and whatever is released is as good as sent.
class OfflinePort {
 public:
  /// `memory` must outlive the port.
  explicit OfflinePort(OfflineMemory& memory) : memory_(&memory) {}

  void arrive(const Frame& frame) { arrived_.push_back(frame); }
  std::size_t capture(std::span<Frame> burst) {
    const std::size_t count = std::min(burst.size(), arrived_.size());
    std::copy_n(arrived_.begin(), count, burst.begin());
    arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  [[nodiscard]] bool has_frames() const { return !arrived_.empty(); }
  bool release(const Frame& frame) {
    memory_->free(frame);
    return true;
  }
  void flush() {}

 private:
  OfflineMemory* memory_;
  std::vector<Frame> arrived_;
};
static_assert(FramePort<OfflinePort>);

namespace {

// More than the events of one iteration, with their frames and without.
constexpr std::size_t kRingBytes = std::size_t{32} << 20;
constexpr std::size_t kRingBytesAlone = std::size_t{1} << 20;

LinkTableFeed feed_of(const PathSettings& settings) {
  const std::size_t robots = settings.table_robots().robots();
  return LinkTableFeed(robots * robots);
}

}  // namespace

struct OfflinePath::Parts {
  Parts(const PathSettings& settings, std::size_t port_count, std::uint32_t snaplen)
      : feed(feed_of(settings)),
        ring(snaplen > 0 ? kRingBytes : kRingBytesAlone, port_count, settings.robots.size(), {}) {
    std::vector<OfflinePort*> raw;
    for (std::size_t i = 0; i < port_count; ++i) {
      raw.push_back(&ports.emplace_back(memory));
    }
    path = std::make_unique<FramePath<OfflinePort, OfflineMemory>>(settings, std::move(raw), memory, feed);
    path->verdicts().open = true;
    ring.snaplen = snaplen;
    path->observer().write_to(&ring);
  }

  EventClock clock;
  OfflineMemory memory;
  std::deque<OfflinePort> ports;  // by PortSlot
  bool behind = false;            // frames of earlier arrivals are still at ports
  LinkTableFeed feed;
  EventRing ring;
  std::unique_ptr<FramePath<OfflinePort, OfflineMemory>> path;
};

OfflinePath::OfflinePath(const Configuration& configuration, const AirPlan& air, Listener listener,
                         std::uint32_t snaplen)
    : slots_(configuration),
      listener_(std::move(listener)),
      parts_(std::make_unique<Parts>(configured_path(configuration, air, slots_), slots_.ports().nowhere().value() + 1,
                                     snaplen)) {}

OfflinePath::~OfflinePath() = default;

void OfflinePath::publish(const LinkTable& table) {
  parts_->feed.back() = table;
  parts_->feed.publish();
}

void OfflinePath::arrive(PortIndex port, std::span<const std::byte> bytes, std::uint32_t length, HostTime at) {
  if (length > kLongestFrame) {
    throw std::runtime_error(
        fmt::format("a frame of {} bytes is longer than any; allowed: up to {}", length, kLongestFrame));
  }
  run_until(at);
  const Frame frame = parts_->memory.add(bytes, length, at);
  const PortSlot slot = slots_.ports().slot_of(port);
  parts_->ports[slot.value()].arrive(frame);
  iterate(slot);
}

void OfflinePath::run_until(HostTime end) {
  for (bool moved = true;;) {
    const HostTime at = parts_->clock.next(next_due(), moved);
    if (at >= end) {
      break;
    }
    parts_->clock.advance_to(at);
    const std::uint64_t before = parts_->path->activity();
    iterate();
    moved = parts_->path->activity() != before;
  }
  parts_->clock.advance_to(end);
}

void OfflinePath::settle(HostTime end) {
  for (HostTime due = next_due(); due < end; due = next_due()) {
    run_until(std::max(due, now()) + EventClock::kOnward);
  }
}

HostTime OfflinePath::next_due() const {
  return parts_->path->has_input() ? parts_->clock.now() : parts_->path->next_due();
}

HostTime OfflinePath::now() const {
  return parts_->clock.now();
}

void OfflinePath::order(const ParkedOrder& order) {
  while (!parts_->path->verdicts().orders.push(order)) {
    iterate();
  }
  iterate();
}

// Looks at no port but those that may have frames: there can be hundreds.
void OfflinePath::iterate(OptionalIndex<PortSlot> arrived) {
  if (parts_->behind) {
    parts_->path->iterate(parts_->clock);
    parts_->behind = std::ranges::any_of(parts_->ports, &OfflinePort::has_frames);
  } else {
    parts_->path->iterate(parts_->clock, arrived);
    parts_->behind = arrived && parts_->ports[arrived.value().value()].has_frames();
  }
  ParkedPacket parked;
  while (parts_->path->verdicts().parked.pop(parked)) {
  }
  EventRing& ring = parts_->ring;
  while (ring.read() != ring.written()) {
    const FrameEvent& event = ring.at(ring.read());
    const std::uint64_t next = ring.read() + event.size;
    if (event.what != FrameEvent::What::kSkip) {
      listener_(event);
    }
    ring.read_to(next);
  }
}

const PathTotals& OfflinePath::totals() const {
  return parts_->path->totals();
}

LinkCounts OfflinePath::counts(RobotIndex from, RobotIndex to) const {
  LinkCounts counts;
  parts_->path->links()[slots_.link(from, to).value()].add_to(counts);
  return counts;
}

using What = FrameEvent::What;

OfflineCapture::OfflineCapture(std::shared_ptr<const CaptureNames> names, const std::filesystem::path& file,
                               Nanoseconds utc, HostTime began)
    : sink_({}, std::make_unique<CaptureRecord>(CaptureFilesConfig{.file = file}, state_)) {
  missed_.in.resize(names->ports.size());
  missed_.out.resize(names->ports.size());
  sink_.begin(std::move(names), missed_, utc, began);
}

void OfflineCapture::take(const FrameEvent& event) {
  if (event.what == What::kFate) {
    return history_.note_fate(event);
  }
  if (event.what == What::kCaptured) {
    history_.note_arrival(event);
  }
  FrameStory story{.arrival = history_.arrival(event.packet)};
  if (event.what == What::kReleased || event.what == What::kDropped) {
    story.fates = history_.take_fates(event.packet, event.link);
  }
  sink_.take(event, story, missed_);
}

void OfflineCapture::end(HostTime now) {
  sink_.end(missed_, now);
  sink_.flush();
  const std::scoped_lock lock(state_->mutex);
  if (!state_->problem.empty()) {
    throw std::runtime_error(state_->problem);
  }
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/offline_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gateway/replay/offline_memory.h"
#include "gateway/run/planes/configured_path.h"
#include "path/frame_path.h"
#include "path/host_clock.h"
#include "path/observer/event_ring.h"

namespace hilgate {
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
  parts_->ports[slots_.ports().slot_of(port).value()].arrive(frame);
  iterate();
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

void OfflinePath::iterate() {
  parts_->path->iterate(parts_->clock);
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

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "xdp/xsk_session.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "xdp/kernel.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kRefillBatch = 64;
constexpr std::uint32_t kGiveBackBatch = 4096;  // chunks looked at in an iteration
constexpr int kMostKicks = 4096 / 32;  // the largest ring by what a kick sends in copy mode (TX_BATCH_SIZE, xsk.c)
// The TSC's mapping may be this far from CLOCK_MONOTONIC before it is disciplined for the first time, and then is not.
constexpr Nanoseconds kClockTolerance{10'000'000};
constexpr std::chrono::milliseconds kDrainTime{100};

xdp_statistics socket_statistics(int fd) {
  xdp_statistics statistics{};
  socklen_t size = sizeof statistics;
  ::getsockopt(fd, SOL_XDP, XDP_STATISTICS, &statistics, &size);
  return statistics;
}

}  // namespace

void SocketStatistics::add(const SocketStatistics& more) {
  rx_dropped += more.rx_dropped;
  rx_invalid += more.rx_invalid;
  tx_invalid += more.tx_invalid;
  rx_ring_full += more.rx_ring_full;
  fill_ring_empty += more.fill_ring_empty;
  tx_ring_empty += more.tx_ring_empty;
}

XskSession::XskSession(const SessionPlace& place, const Interface& interface)
    : umem_(place.umem),
      lender_(place.lender),
      counters_(place.counters),
      ring_size_(place.memory.ring_size()),
      clock_(place.clock),
      opened_(clock_.now()),
      queues_(open_queues(place.memory, interface)),
      stamps_(place.umem, place.stamps, ring_size_,
              {.stamps = place.memory.no_timestamps().empty(),
               .launches = place.memory.no_timestamps().empty() && place.launches}),
      arrivals_(place.arrivals) {
  leftover_.reserve(ring_size_);
}

std::vector<XskSession::Queue> XskSession::open_queues(XskMemory& memory, const Interface& interface) {
  std::vector<Queue> queues;
  queues.reserve(interface.rx_queues);
  for (std::uint32_t queue = 0; queue < interface.rx_queues; ++queue) {
    queues.emplace_back(std::make_unique<XskSocket>(memory, interface, queue));
  }
  return queues;
}

SocketStatistics XskSession::statistics() const {
  SocketStatistics sums;
  each_socket([&sums](std::uint32_t, int socket) {
    const xdp_statistics kernel = socket_statistics(socket);
    sums.add({.rx_dropped = kernel.rx_dropped,
              .rx_invalid = kernel.rx_invalid_descs,
              .tx_invalid = kernel.tx_invalid_descs,
              .rx_ring_full = kernel.rx_ring_full,
              .fill_ring_empty = kernel.rx_fill_ring_empty_descs,
              .tx_ring_empty = kernel.tx_ring_empty_descs});
  });
  return sums;
}

void XskSession::close() {
  for (Queue& queue : queues_) {
    queue.socket.reset();
  }
}

std::size_t XskSession::capture(std::span<Frame> burst) {
  std::size_t captured = 0;
  for (std::size_t tried = 0; tried < queues_.size() && captured < burst.size(); ++tried) {
    captured += capture(queues_[next_queue_], burst.subspan(captured));
    next_queue_ = next_queue_ + 1 == queues_.size() ? 0 : next_queue_ + 1;
  }
  if (captured > 0) {
    counters_.captured.add(captured);
  }
  return captured;
}

std::size_t XskSession::capture(Queue& queue, std::span<Frame> burst) {
  xsk_ring_cons& rx = queue.socket->rings().rx;
  std::uint32_t at = 0;
  const std::uint32_t segments = xsk_ring_cons__peek(&rx, static_cast<std::uint32_t>(burst.size()), &at);
  if (segments == 0) {
    return 0;
  }
  const HostTime now = clock_.now();
  std::size_t frames = 0;
  for (std::uint32_t i = 0; i < segments; ++i) {
    if (append(queue, *xsk_ring_cons__rx_desc(&rx, at + i), now)) {
      burst[frames++] = queue.partial;
    }
  }
  xsk_ring_cons__release(&rx, segments);
  return frames;
}

// Adds a segment to the frame that is being put together; true when this completes it.
bool XskSession::append(Queue& queue, const xdp_desc& segment, HostTime now) {
  umem_.set_segment(segment.addr, segment.len);
  if (queue.segments == 0) {
    std::byte* data = umem_.data(segment.addr);
    queue.partial = {.buffer = umem_.buffer(segment.addr),
                     .data = data,
                     .arrived = arrival(data, now),
                     .length = segment.len,
                     .head_length = segment.len};
  } else {
    umem_.link_segments(queue.last, segment.addr);
    queue.partial.length += segment.len;
  }
  queue.last = segment.addr;
  ++queue.segments;
  if ((segment.options & kXdpPacketContinued) != 0) {
    return false;
  }
  const bool sendable = queue.segments <= Umem::kMaxSegments;
  queue.segments = 0;
  if (!sendable) {
    umem_.free(queue.partial);
    counters_.oversize.add(1);
  }
  return sendable;
}

// The program's stamp lies in front of the frame. It is wiped, so that none is ever taken for that of a later frame.
HostTime XskSession::arrival(std::byte* data, HostTime now) {
  hg_frame_meta meta{};
  std::memcpy(&meta, data - sizeof meta, sizeof meta);
  std::memset(data - sizeof meta, 0, sizeof meta);
  const HostTime stamped{Nanoseconds{static_cast<std::int64_t>(meta.arrived_ns)}};
  if (meta.magic != HG_META_MAGIC || stamped < opened_ - kClockTolerance || stamped > now + kClockTolerance) {
    return other_arrival(meta, data, now);
  }
  return stamped;
}

// Of the program that reads the device's timestamps as well, or without a usable stamp of any. Apart, so that ports
// whose devices have none pay nothing.
[[gnu::noinline]] HostTime XskSession::other_arrival(const hg_frame_meta& meta, std::byte* data, HostTime now) {
  const HostTime stamped{Nanoseconds{static_cast<std::int64_t>(meta.arrived_ns)}};
  if (meta.magic != HG_META_MAGIC_TIMED || stamped < opened_ - kClockTolerance || stamped > now + kClockTolerance) {
    counters_.stamped_late.add(1);
    return now;
  }
  std::int64_t device_ns = 0;
  std::memcpy(&device_ns, data - sizeof(hg_timed_meta), sizeof device_ns);
  return arrivals_.arrival(device_ns, std::min(stamped, now));
}

bool XskSession::put(const Frame& frame, HostTime due) {
  xsk_ring_prod& tx = queues_.front().socket->rings().tx;
  std::uint32_t segments = 1;
  if (frame.head_length != frame.length) {
    segments = 0;
    umem_.for_each_segment(frame, [&](std::span<std::byte>) { ++segments; });
  }
  std::uint32_t at = 0;
  if (xsk_ring_prod__reserve(&tx, segments, &at) == 0) {
    return false;
  }
  stamps_.note_due(at, segments, due);
  std::uint32_t left = segments;
  umem_.for_each_segment(frame, [&](std::span<std::byte> bytes) {
    *xsk_ring_prod__tx_desc(&tx, at++) = {.addr = umem_.address(bytes.data()),
                                          .len = static_cast<__u32>(bytes.size()),
                                          .options = --left > 0 ? kXdpPacketContinued : 0};
  });
  pending_ += segments;
  outstanding_ += segments;
  counters_.released.add(1);
  return true;
}

// The launch time lies in the frame's memory. One with other owners gets memory of its own, if it is before its time.
bool XskSession::release_to_launch(const Frame& frame, HostTime due) {
  const HostTime now = clock_.now();
  const bool shared = umem_.is_shared(frame);
  if (shared && due <= now) {
    return put(frame, due);
  }
  const std::optional<Frame> own = shared ? umem_.copy(frame) : frame;
  xsk_ring_prod& tx = queues_.front().socket->rings().tx;
  const std::uint32_t slot = tx.cached_prod;
  if (!own || !put(*own, due)) {
    if (own && shared) {
      umem_.free(*own);
    }
    return false;
  }
  stamps_.launch(*xsk_ring_prod__tx_desc(&tx, slot), due, now);
  if (shared) {
    umem_.free(frame);
  }
  return true;
}

void XskSession::flush() {
  if (outstanding_ > 0) {
    send();
    stamps_.publish();
  }
  if (stamps_.options().launches) {
    stamps_.look(clock_.now());
  }
  unfinished_ = unsent() > 0;
  for (Queue& queue : queues_) {
    unfinished_ |= !refill(queue);
  }
}

// Shows the kernel what was released and kicks it while that moves frames on. Errors are no errors here: EAGAIN is the
// end of a batch or of the socket's send buffer, EBUSY a frame that the interface's queue refused.
void XskSession::send() {
  Queue& queue = queues_.front();
  xsk_ring_prod& tx = queue.socket->rings().tx;
  if (pending_ > 0) {
    if (stamps_.options().stamps) {
      stamps_.request(tx, pending_, clock_.now());
    }
    xsk_ring_prod__submit(&tx, pending_);
    pending_ = 0;
  }
  std::uint32_t left = unsent();
  for (int kick = 0; kick < kMostKicks && left > 0 && xsk_ring_prod__needs_wakeup(&tx) != 0; ++kick) {
    if (::sendto(queue.socket->fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0 && errno == EBUSY) {
      counters_.lost_at_send.add(1);
    }
    const std::uint32_t before = left;
    const std::uint32_t completed = reap();
    left = unsent();
    if (completed == 0 && left == before) {
      break;
    }
  }
  reap();
}

std::uint32_t XskSession::unsent() {
  return ring_size_ - xsk_prod_nb_free(&queues_.front().socket->rings().tx, ring_size_);
}

std::uint32_t XskSession::reap() {
  xsk_ring_cons& completion = queues_.front().socket->rings().completion;
  std::uint32_t at = 0;
  const std::uint32_t completed = xsk_ring_cons__peek(&completion, ring_size_, &at);
  for (std::uint32_t i = 0; i < completed; ++i) {
    const std::uint64_t address = *xsk_ring_cons__comp_addr(&completion, at + i);
    stamps_.completed(address, clock_);
    umem_.free_chunk(address);
  }
  if (completed > 0) {
    xsk_ring_cons__release(&completion, completed);
    outstanding_ -= completed;
  }
  return completed;
}

bool XskSession::refill(Queue& queue) {
  xsk_ring_prod& fill = queue.socket->rings().fill;
  while (xsk_prod_nb_free(&fill, kRefillBatch) >= kRefillBatch) {
    std::array<std::uint64_t, kRefillBatch> chunks{};
    const auto taken = static_cast<std::uint32_t>(umem_.allocate(chunks));
    std::uint32_t at = 0;
    if (taken == 0 || xsk_ring_prod__reserve(&fill, taken, &at) == 0) {
      return false;
    }
    for (std::uint32_t i = 0; i < taken; ++i) {
      *xsk_ring_prod__fill_addr(&fill, at + i) = chunks[i];
      umem_.lend(chunks[i], lender_);
    }
    xsk_ring_prod__submit(&fill, taken);
  }
  if (xsk_ring_prod__needs_wakeup(&fill) != 0) {
    ::recvfrom(queue.socket->fd(), nullptr, 0, MSG_DONTWAIT, nullptr, nullptr);
  }
  return true;
}

void XskSession::refill() {
  for (Queue& queue : queues_) {
    refill(queue);
  }
}

void XskSession::drain() {
  const auto deadline = std::chrono::steady_clock::now() + kDrainTime;
  while (outstanding_ > 0 && std::chrono::steady_clock::now() < deadline) {
    send();
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
}

bool XskSession::settle() {
  const HostTime now = clock_.now();
  if (settled_by_ == HostTime{}) {
    settled_by_ = now + kDrainTime;
  }
  reap();
  if (outstanding_ > unsent() && now < settled_by_) {
    return false;
  }
  note_unsent();
  return true;
}

// What is in the ring from where the kernel reads on.
void XskSession::note_unsent() {
  xsk_ring_prod& tx = queues_.front().socket->rings().tx;
  const std::uint32_t left = unsent();
  for (std::uint32_t i = 0; i < left; ++i) {
    const xdp_desc& descriptor = *xsk_ring_prod__tx_desc(&tx, tx.cached_prod - left + i);
    leftover_.push_back(descriptor.addr);
    if ((descriptor.options & kXdpPacketContinued) == 0) {
      counters_.lost_at_send.add(1);
    }
  }
}

bool XskSession::give_back() {
  for (const std::uint64_t address : leftover_) {
    umem_.free_chunk(address);
  }
  leftover_.clear();
  stamps_.abandon();
  for (Queue& queue : queues_) {
    if (std::exchange(queue.segments, 0) > 0) {
      umem_.free(queue.partial);
    }
  }
  next_chunk_ = umem_.take_back(lender_, next_chunk_, kGiveBackBatch);
  return next_chunk_ == umem_.config().chunks;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "xdp/af_xdp_port.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "xdp/kernel.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kRefillBatch = 64;
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

bool choose_zero_copy(std::span<const PortConfig> ports) {
  const auto insists = [](const PortConfig& port) { return port.xdp == XdpMode::kZeroCopy; };
  const auto able = [](const PortConfig& port) {
    return (port.xdp == XdpMode::kAuto || port.xdp == XdpMode::kZeroCopy) &&
           zero_copy_works(find_interface(port.interface));
  };
  const auto cannot = std::find_if_not(ports.begin(), ports.end(), able);
  const auto insisting = std::find_if(ports.begin(), ports.end(), insists);
  if (cannot != ports.end() && insisting != ports.end()) {
    throw std::runtime_error(
        fmt::format("interface {}: mode zero-copy is not possible, because {} does not support it or is configured "
                    "otherwise, and all ports share one memory; use mode auto or native",
                    insisting->interface, cannot->interface));
  }
  return !ports.empty() && cannot == ports.end();
}

AfXdpPort::AfXdpPort(XskMemory& memory, Umem& umem, const PortConfig& config, const TscClock& clock,
                     const KernelPort& kernel)
    : umem_(umem),
      loan_(umem_),
      ring_size_(memory.ring_size()),
      interface_(find_interface(config.interface)),
      clock_(clock),
      opened_(clock_.now()),
      kernel_(kernel) {
  program_ = std::make_unique<XdpProgram>(interface_, XdpProgramConfig{.kernel_pass = config.kernel_pass,
                                                                       .fail = config.fail,
                                                                       .kernel_links = kernel_.decides_links,
                                                                       .ptp_served = config.ptp_served,
                                                                       .port = kernel_.id,
                                                                       .kernel = kernel_.path});
  if (umem_.available() / interface_.rx_queues < ring_size_) {
    throw std::runtime_error(fmt::format("interface {}: {} rx queues need {} chunks of frame memory each; {} are free",
                                         interface_.name, interface_.rx_queues, ring_size_, umem_.available()));
  }
  queues_.reserve(interface_.rx_queues);
  for (std::uint32_t queue = 0; queue < interface_.rx_queues; ++queue) {
    queues_.emplace_back(std::make_unique<XskSocket>(memory, interface_, queue));
    refill(queues_.back());
    program_->set_socket(queue, queues_.back().socket->fd());
  }
  if (kernel_.path != nullptr) {
    kernel_.path->set_port(kernel_.id, interface_.index);
    kernel_.path->beat(clock_.now(), kernel_.core);
  }
  program_->attach(config.xdp);
  promiscuous_ = take_frames_for_all(interface_);
  kernel_.keep_promiscuous(interface_.name, config.fail);
  mode_ = {.driver = interface_.driver,
           .native = program_->native(),
           .zero_copy = memory.mode().zero_copy,
           .multi_buffer = memory.mode().multi_buffer && program_->frags(),
           .queues = interface_.rx_queues,
           .fallback_reason = program_->fallback_reason()};
  mode_.largest_frame = umem_.segment_capacity() * (mode_.multi_buffer ? Umem::kMaxSegments : 1);
}

AfXdpPort::~AfXdpPort() {
  program_.reset();
  drain();
}

std::size_t AfXdpPort::capture(std::span<Frame> burst) {
  std::size_t captured = 0;
  for (std::size_t tried = 0; tried < queues_.size() && captured < burst.size(); ++tried) {
    captured += capture(queues_[next_queue_], burst.subspan(captured));
    next_queue_ = next_queue_ + 1 == queues_.size() ? 0 : next_queue_ + 1;
  }
  if (captured > 0) {
    captured_.add(captured);
  }
  return captured;
}

std::size_t AfXdpPort::capture(Queue& queue, std::span<Frame> burst) {
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
bool AfXdpPort::append(Queue& queue, const xdp_desc& segment, HostTime now) {
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
    oversize_.add(1);
  }
  return sendable;
}

// The program's stamp lies in front of the frame. It is wiped, so that none is ever taken for that of a later frame.
HostTime AfXdpPort::arrival(std::byte* data, HostTime now) {
  hg_frame_meta meta{};
  std::memcpy(&meta, data - sizeof meta, sizeof meta);
  std::memset(data - sizeof meta, 0, sizeof meta);
  const HostTime stamped{Nanoseconds{static_cast<std::int64_t>(meta.arrived_ns)}};
  if (meta.magic != HG_META_MAGIC || stamped < opened_ - kClockTolerance || stamped > now + kClockTolerance) {
    stamped_late_.add(1);
    return now;
  }
  return stamped;
}

bool AfXdpPort::release(const Frame& frame) {
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
  std::uint32_t left = segments;
  umem_.for_each_segment(frame, [&](std::span<std::byte> bytes) {
    *xsk_ring_prod__tx_desc(&tx, at++) = {.addr = umem_.address(bytes.data()),
                                          .len = static_cast<__u32>(bytes.size()),
                                          .options = --left > 0 ? kXdpPacketContinued : 0};
  });
  pending_ += segments;
  outstanding_ += segments;
  released_.add(1);
  return true;
}

void AfXdpPort::flush() {
  if (kernel_.path != nullptr) {
    kernel_.path->beat(clock_.now(), kernel_.core);
  }
  if (outstanding_ > 0) {
    send();
  }
  unfinished_ = unsent() > 0;
  for (Queue& queue : queues_) {
    unfinished_ |= !refill(queue);
  }
}

// Shows the kernel what was released and kicks it while that moves frames on. Errors are no errors here: EAGAIN is the
// end of a batch or of the socket's send buffer, EBUSY a frame that the interface's queue refused.
void AfXdpPort::send() {
  Queue& queue = queues_.front();
  xsk_ring_prod& tx = queue.socket->rings().tx;
  if (pending_ > 0) {
    xsk_ring_prod__submit(&tx, pending_);
    pending_ = 0;
  }
  std::uint32_t left = unsent();
  for (int kick = 0; kick < kMostKicks && left > 0 && xsk_ring_prod__needs_wakeup(&tx) != 0; ++kick) {
    if (::sendto(queue.socket->fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0 && errno == EBUSY) {
      lost_at_send_.add(1);
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

std::uint32_t AfXdpPort::unsent() {
  return ring_size_ - xsk_prod_nb_free(&queues_.front().socket->rings().tx, ring_size_);
}

std::uint32_t AfXdpPort::reap() {
  xsk_ring_cons& completion = queues_.front().socket->rings().completion;
  std::uint32_t at = 0;
  const std::uint32_t completed = xsk_ring_cons__peek(&completion, ring_size_, &at);
  for (std::uint32_t i = 0; i < completed; ++i) {
    umem_.free_chunk(*xsk_ring_cons__comp_addr(&completion, at + i));
  }
  if (completed > 0) {
    xsk_ring_cons__release(&completion, completed);
    outstanding_ -= completed;
  }
  return completed;
}

bool AfXdpPort::refill(Queue& queue) {
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
      umem_.lend(chunks[i], loan_.tag);
    }
    xsk_ring_prod__submit(&fill, taken);
  }
  if (xsk_ring_prod__needs_wakeup(&fill) != 0) {
    ::recvfrom(queue.socket->fd(), nullptr, 0, MSG_DONTWAIT, nullptr, nullptr);
  }
  return true;
}

void AfXdpPort::drain() {
  const auto deadline = std::chrono::steady_clock::now() + kDrainTime;
  while (outstanding_ > 0 && std::chrono::steady_clock::now() < deadline) {
    send();
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
  for (Queue& queue : queues_) {
    if (queue.segments > 0) {
      umem_.free(queue.partial);
    }
  }
}

AfXdpStatistics AfXdpPort::statistics() const {
  AfXdpStatistics sums{.program = program_->counters(),
                       .captured = captured_.get(),
                       .released = released_.get(),
                       .oversize = oversize_.get(),
                       .stamped_late = stamped_late_.get(),
                       .lost_at_send = lost_at_send_.get()};
  for (const Queue& queue : queues_) {
    const xdp_statistics kernel = socket_statistics(queue.socket->fd());
    sums.rx_dropped += kernel.rx_dropped;
    sums.rx_invalid += kernel.rx_invalid_descs;
    sums.tx_invalid += kernel.tx_invalid_descs;
    sums.rx_ring_full += kernel.rx_ring_full;
    sums.fill_ring_empty += kernel.rx_fill_ring_empty_descs;
    sums.tx_ring_empty += kernel.tx_ring_empty_descs;
  }
  return sums;
}

}  // namespace hilgate

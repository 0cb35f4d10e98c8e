// SPDX-License-Identifier: Apache-2.0
#include "xdp/umem.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "host/large_pages.h"

namespace hilgate {
namespace {

void check(const UmemConfig& config) {
  if (config.chunk_size != 2048 && config.chunk_size != 4096) {
    throw std::runtime_error(
        fmt::format("frame memory: chunk of {} bytes; the kernel supports 2048 or 4096", config.chunk_size));
  }
  if (config.chunks < 64) {
    throw std::runtime_error(fmt::format("frame memory: {} chunks; the minimum is 64", config.chunks));
  }
}

std::byte* map(std::size_t bytes, int flags) {
  void* area = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return area == MAP_FAILED ? nullptr : static_cast<std::byte*>(area);
}

}  // namespace

Umem::Shared::Shared(const UmemConfig& wanted, std::size_t over)
    : config(wanted), cores(over), part(static_cast<std::uint32_t>(wanted.chunks / over)) {
  check(config);
  chunks.resize(config.chunks);
  for (std::size_t i = 0; cores > 1 && i < cores * cores; ++i) {
    homeward.push_back(std::make_unique<SpscRing<std::uint32_t>>(part + cores));
  }
  if (bytes() % kLargePage == 0) {
    area = map(bytes(), MAP_HUGETLB | MAP_POPULATE);
  }
  huge_pages = area != nullptr;
  if (!huge_pages) {
    area = map(bytes(), 0);
    if (area != nullptr) {
      prefer_large_pages(area, bytes());
    }
  }
  if (area == nullptr) {
    throw std::runtime_error(fmt::format("frame memory: cannot allocate {} MiB for {} chunks of {} bytes: {}",
                                         bytes() >> 20, config.chunks, config.chunk_size, std::strerror(errno)));
  }
}

Umem::Shared::~Shared() {
  ::munmap(area, bytes());
}

Umem::Umem(const UmemConfig& config) : Umem(std::make_shared<Shared>(config, 1), 0) {}

Umem::Umem(std::shared_ptr<Shared> shared, std::size_t core)
    : shared_(std::move(shared)),
      core_(core),
      chunk_shift_(static_cast<std::uint32_t>(std::countr_zero(shared_->config.chunk_size))),
      area_(shared_->area),
      chunks_(shared_->chunks.data()) {
  const auto first = static_cast<std::uint32_t>(shared_->part * core);
  const std::uint32_t end = core + 1 == shared_->cores ? shared_->config.chunks : first + shared_->part;
  free_.reserve(end - first);
  for (std::uint32_t chunk = end; chunk > first; --chunk) {
    free_.push_back(chunk - 1);
  }
}

std::vector<std::unique_ptr<Umem>> Umem::over_cores(const UmemConfig& config, std::size_t cores) {
  const auto shared = std::make_shared<Shared>(config, cores);
  std::vector<std::unique_ptr<Umem>> all;
  for (std::size_t core = 0; core < cores; ++core) {
    all.push_back(std::unique_ptr<Umem>(new Umem(shared, core)));
  }
  return all;
}

void Umem::share(const Frame& frame, std::uint32_t more) {
  for (std::uint32_t at = index(frame.buffer); at != kNone; at = chunks_[at].next) {
    [[maybe_unused]] const std::uint32_t before =
        owners(at).fetch_add(static_cast<std::uint16_t>(more), std::memory_order_relaxed);
    assert(before > 0 && before + more <= std::numeric_limits<std::uint16_t>::max());
  }
}

void Umem::free(const Frame& frame) {
  for (std::uint32_t at = index(frame.buffer); at != kNone;) {
    const std::uint32_t next = chunks_[at].next;
    free_index(at);
    at = next;
  }
}

std::optional<Frame> Umem::copy(const Frame& frame) {
  const std::optional<std::uint32_t> head = copy_chunk(index(frame.buffer));
  if (!head) {
    return std::nullopt;
  }
  Frame copied = frame;
  copied.buffer = std::uint64_t{*head} << chunk_shift_;
  copied.data = area_ + copied.buffer + chunks_[*head].offset;
  std::uint32_t last = *head;
  for (std::uint32_t from = chunks_[index(frame.buffer)].next; from != kNone; from = chunks_[from].next) {
    const std::optional<std::uint32_t> segment = copy_chunk(from);
    if (!segment) {
      free(copied);
      return std::nullopt;
    }
    chunks_[last].next = *segment;
    last = *segment;
  }
  return copied;
}

std::optional<Frame> Umem::make(std::span<const std::byte> bytes) {
  std::uint64_t address = 0;
  if (bytes.size() > segment_capacity() || allocate({&address, 1}) == 0) {
    return std::nullopt;
  }
  address += kHeadroom;
  set_segment(address, static_cast<std::uint32_t>(bytes.size()));
  std::memcpy(data(address), bytes.data(), bytes.size());
  const auto length = static_cast<std::uint32_t>(bytes.size());
  return Frame{
      .buffer = buffer(address), .data = data(address), .arrived = {}, .length = length, .head_length = length};
}

bool Umem::move_start(Frame& frame, int by) {
  Chunk& chunk = chunks_[index(frame.buffer)];
  if (chunk.offset + by < static_cast<int>(kLeastOffset) || chunk.length <= by) {
    return false;
  }
  chunk.offset = static_cast<std::uint16_t>(chunk.offset + by);
  chunk.length = static_cast<std::uint16_t>(chunk.length - by);
  frame.data += by;
  frame.length -= static_cast<std::uint32_t>(by);
  frame.head_length -= static_cast<std::uint32_t>(by);
  return true;
}

std::size_t Umem::allocate(std::span<std::uint64_t> addresses) {
  if (free_.size() < addresses.size() && shared_->cores > 1) {
    collect();
  }
  std::size_t taken = 0;
  while (taken < addresses.size() && !free_.empty()) {
    const std::uint32_t chunk = free_.back();
    free_.pop_back();
    chunks_[chunk].owners = 1;
    addresses[taken++] = std::uint64_t{chunk} << chunk_shift_;
  }
  return taken;
}

void Umem::free_chunk(std::uint64_t address) {
  free_index(index(address));
}

void Umem::set_segment(std::uint64_t address, std::uint32_t length) {
  Chunk& chunk = chunks_[index(address)];
  chunk.next = kNone;
  chunk.offset = static_cast<std::uint16_t>(address - buffer(address));
  chunk.length = static_cast<std::uint16_t>(length);
  if (chunk.lent_to != 0 && (chunk.lent_to & kCaptured) == 0) {
    count_held(chunk.lent_to, 1);
    chunk.lent_to |= kCaptured;
  }
}

std::uint16_t Umem::add_port() {
  if (shared_->ports + 1U == kPorts) {
    throw std::runtime_error(fmt::format("frame memory: more than {} ports have used it", kPorts - 1));
  }
  return ++shared_->ports;
}

// Other cores free what this one's ports have captured.
void Umem::count_held(std::uint16_t port, std::int32_t more) {
  const std::atomic_ref<std::uint32_t> held(shared_->held[port]);
  if (shared_->cores == 1) {
    held.store(held.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(more), std::memory_order_relaxed);
  } else {
    held.fetch_add(static_cast<std::uint32_t>(more), std::memory_order_relaxed);
  }
}

bool Umem::within_share(const Frame& frame) {
  constexpr std::size_t kShareOfFree = 4;
  const std::uint16_t port = chunks_[index(frame.buffer)].lent_to & static_cast<std::uint16_t>(~kCaptured);
  const std::size_t held = std::atomic_ref<std::uint32_t>(shared_->held[port]).load(std::memory_order_relaxed);
  if (port == 0 || held <= kShareOfFree * free_.size()) {
    return true;
  }
  if (shared_->cores > 1) {
    collect();
  }
  return held <= kShareOfFree * free_.size();
}

std::uint32_t Umem::take_back(std::uint16_t port, std::uint32_t first, std::uint32_t count) {
  const std::uint32_t end = first + std::min(count, shared_->config.chunks - first);
  for (std::uint32_t at = first; at < end; ++at) {
    if (lent_to(at).load(std::memory_order_relaxed) == port) {
      lent_to(at).store(0, std::memory_order_relaxed);
      free_index(at);
    }
  }
  return end;
}

std::size_t Umem::memory_bytes() const {
  return area_bytes() + shared_->chunks.capacity() * sizeof(Chunk) + free_.capacity() * sizeof(std::uint32_t);
}

std::optional<std::uint32_t> Umem::copy_chunk(std::uint32_t from) {
  std::uint64_t address = 0;
  if (allocate({&address, 1}) == 0) {
    return std::nullopt;
  }
  const Chunk& source = chunks_[from];
  const std::uint32_t to = index(address);
  std::memcpy(area_ + address + source.offset, area_ + (std::uint64_t{from} << chunk_shift_) + source.offset,
              source.length);
  chunks_[to] = {.next = kNone, .owners = 1, .offset = source.offset, .length = source.length, .lent_to = 0};
  return to;
}

void Umem::free_index(std::uint32_t chunk) {
  const auto count = owners(chunk);
  assert(count.load(std::memory_order_relaxed) > 0);
  if (count.load(std::memory_order_acquire) == 1) {
    count.store(0, std::memory_order_relaxed);
  } else if (count.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  if (const std::uint16_t lent = chunks_[chunk].lent_to; (lent & kCaptured) != 0) {
    count_held(lent & static_cast<std::uint16_t>(~kCaptured), -1);
    lent_to(chunk).store(0, std::memory_order_relaxed);
  }
  const std::size_t home = shared_->cores == 1 ? core_ : home_of(chunk);
  if (home == core_) {
    free_.push_back(chunk);
  } else {
    shared_->homeward[core_ * shared_->cores + home]->push(chunk);  // has room for all chunks of that home
  }
}

// What other cores have freed of ours.
void Umem::collect() {
  std::uint32_t chunk = 0;
  for (std::size_t other = 0; other < shared_->cores; ++other) {
    while (other != core_ && shared_->homeward[other * shared_->cores + core_]->pop(chunk)) {
      free_.push_back(chunk);
    }
  }
}

}  // namespace hilgate

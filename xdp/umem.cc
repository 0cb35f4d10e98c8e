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

namespace hilgate {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

void check(const UmemConfig& config) {
  if (config.chunk_size != 2048 && config.chunk_size != 4096) {
    throw std::runtime_error(
        fmt::format("frame memory: a chunk of {} bytes; the kernel takes 2048 or 4096", config.chunk_size));
  }
  if (config.chunks < 64) {
    throw std::runtime_error(fmt::format("frame memory: {} chunks; at least 64 are needed", config.chunks));
  }
}

std::byte* map(std::size_t bytes, int flags) {
  void* area = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return area == MAP_FAILED ? nullptr : static_cast<std::byte*>(area);
}

}  // namespace

Umem::Umem(const UmemConfig& config) : config_(config) {
  check(config);
  chunk_shift_ = static_cast<std::uint32_t>(std::countr_zero(config.chunk_size));
  chunks_.resize(config.chunks);
  free_.reserve(config.chunks);
  for (std::uint32_t chunk = config.chunks; chunk > 0; --chunk) {
    free_.push_back(chunk - 1);
  }
  if (area_bytes() % kHugePage == 0) {
    area_ = map(area_bytes(), MAP_HUGETLB | MAP_POPULATE);
  }
  huge_pages_ = area_ != nullptr;
  if (!huge_pages_) {
    area_ = map(area_bytes(), 0);
  }
  if (area_ == nullptr) {
    throw std::runtime_error(fmt::format("frame memory: no {} MiB for {} chunks of {} bytes: {}", area_bytes() >> 20,
                                         config.chunks, config.chunk_size, std::strerror(errno)));
  }
}

Umem::~Umem() {
  ::munmap(area_, area_bytes());
}

void Umem::share(const Frame& frame, std::uint32_t owners) {
  for (std::uint32_t at = index(frame.buffer); at != kNone; at = chunks_[at].next) {
    assert(chunks_[at].owners > 0 && chunks_[at].owners + owners <= std::numeric_limits<std::uint16_t>::max());
    chunks_[at].owners = static_cast<std::uint16_t>(chunks_[at].owners + owners);
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

std::size_t Umem::allocate(std::span<std::uint64_t> addresses) {
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
  chunk.lent_to = 0;
}

void Umem::take_back(std::uint16_t port) {
  for (std::uint32_t at = 0; at < config_.chunks; ++at) {
    if (chunks_[at].lent_to == port) {
      chunks_[at].lent_to = 0;
      free_index(at);
    }
  }
}

std::size_t Umem::memory_bytes() const {
  return area_bytes() + chunks_.capacity() * sizeof(Chunk) + free_.capacity() * sizeof(std::uint32_t);
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
  assert(chunks_[chunk].owners > 0);
  if (--chunks_[chunk].owners == 0) {
    free_.push_back(chunk);
  }
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "dpdk/mbuf_pool.h"

#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_memory.h>
#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "host/large_pages.h"

namespace hilgate {
namespace {

// Per-thread cache in front of the pool's ring: what a few bursts need.
constexpr unsigned kCacheSize = 512;

// The mbuf given back last is taken first, because it is still in the processor's cache: DPDK's usual ring goes through
// the whole pool. Its stack is a driver of its own, which an installation may lack.
rte_mempool* make_pool(const std::string& name, std::uint32_t frames, std::uint16_t room, int socket) {
  rte_mempool* pool = rte_pktmbuf_pool_create_by_ops(name.c_str(), frames, kCacheSize, 0, room, socket, "stack");
  return pool != nullptr ? pool : rte_pktmbuf_pool_create(name.c_str(), frames, kCacheSize, 0, room, socket);
}

// Of the whole pool: mbufs, their stack or ring, and what allocators and ends of pages take.
std::size_t pool_bytes(std::uint32_t frames, std::uint16_t room) {
  rte_mempool_objsz size{};
  const std::size_t each = rte_mempool_calc_obj_size(static_cast<std::uint32_t>(sizeof(rte_mbuf)) + room, 0, &size);
  const std::size_t mbufs = frames * each;
  return mbufs + mbufs / 64 + 2 * std::bit_ceil(std::size_t{frames} + 1) * sizeof(void*) + (std::size_t{8} << 20);
}

}  // namespace

MbufPool::MbufPool(const std::string& name, std::uint32_t frames, std::uint16_t frame_bytes)
    : memory_(name, pool_bytes(frames, static_cast<std::uint16_t>(frame_bytes + RTE_PKTMBUF_HEADROOM))),
      frames_(frames),
      element_bytes_(0) {
  pool_ = make_pool(name, frames, static_cast<std::uint16_t>(frame_bytes + RTE_PKTMBUF_HEADROOM), memory_.socket());
  if (pool_ == nullptr) {
    throw std::runtime_error(fmt::format(
        "dpdk: no memory for {} frames of {} B ({} MiB): {}; reduce `memory.frames`, or provide more hugepages", frames,
        frame_bytes, (std::uint64_t{frames} * (frame_bytes + RTE_PKTMBUF_HEADROOM + sizeof(rte_mbuf))) >> 20,
        rte_strerror(rte_errno)));
  }
  element_bytes_ = pool_->elt_size + pool_->header_size + pool_->trailer_size;
}

namespace {

constexpr std::size_t kPage = kLargePage;

}  // namespace

FrameMemory::FrameMemory(const std::string& name, std::size_t bytes) : name_(name + "-heap"), socket_(SOCKET_ID_ANY) {
  if (rte_eal_has_hugepages() != 0) {
    return;
  }
  length_ = (bytes + kPage - 1) / kPage * kPage;
  area_ = ::mmap(nullptr, length_ + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area_ == MAP_FAILED) {
    throw std::runtime_error(
        fmt::format("dpdk: cannot allocate {} MiB for frames: {}", length_ >> 20, std::strerror(errno)));
  }
  begin_ = area_;
  std::size_t room = length_ + kPage;
  std::align(kPage, length_, begin_, room);
  prefer_large_pages(begin_, length_);
  if (rte_malloc_heap_create(name_.c_str()) != 0 ||
      rte_malloc_heap_memory_add(name_.c_str(), begin_, length_, nullptr, 0, kPage) != 0) {
    const int error = rte_errno;
    ::munmap(area_, length_ + kPage);
    throw std::runtime_error(
        fmt::format("dpdk: cannot use {} MiB of memory for frames: {}", length_ >> 20, rte_strerror(error)));
  }
  socket_ = rte_malloc_heap_get_socket(name_.c_str());
}

FrameMemory::~FrameMemory() {
  if (area_ != nullptr) {
    rte_malloc_heap_memory_remove(name_.c_str(), begin_, length_);
    rte_malloc_heap_destroy(name_.c_str());
    ::munmap(area_, length_ + kPage);
  }
}

}  // namespace hilgate

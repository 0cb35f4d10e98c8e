// SPDX-License-Identifier: Apache-2.0
#include "dpdk/mbuf_pool.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include <bit>
#include <stdexcept>

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

}  // namespace hilgate

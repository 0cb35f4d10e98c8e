// SPDX-License-Identifier: Apache-2.0
#include "gateway/dpdk/mbuf_pool.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include <stdexcept>

namespace hilgate {
namespace {

// Per-thread cache in front of the pool's ring: what a few bursts need.
constexpr unsigned kCacheSize = 512;

}  // namespace

MbufPool::MbufPool(const std::string& name, std::uint32_t frames, std::uint16_t frame_bytes)
    : frames_(frames), element_bytes_(0) {
  pool_ = rte_pktmbuf_pool_create(name.c_str(), frames, kCacheSize, 0,
                                  static_cast<std::uint16_t>(frame_bytes + RTE_PKTMBUF_HEADROOM), SOCKET_ID_ANY);
  if (pool_ == nullptr) {
    throw std::runtime_error(fmt::format(
        "dpdk: no memory for {} frames of {} B ({} MiB): {}; lower `memory.frames`, or give more hugepages", frames,
        frame_bytes, (std::uint64_t{frames} * (frame_bytes + RTE_PKTMBUF_HEADROOM + sizeof(rte_mbuf))) >> 20,
        rte_strerror(rte_errno)));
  }
  element_bytes_ = pool_->elt_size + pool_->header_size + pool_->trailer_size;
}

}  // namespace hilgate

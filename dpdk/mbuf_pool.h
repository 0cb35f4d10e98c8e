// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "frame/frame.h"

namespace hilgate {

/// Memory for a pool where DPDK runs without hugepages: DPDK takes ordinary memory from a memfd, in pages of 4 KiB that
/// cost a TLB miss on nearly every frame. This is anonymous memory, which the kernel gives in large pages when asked
/// (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), as a heap of DPDK. For virtual devices.
class FrameMemory {
 public:
  /// Does nothing where DPDK has hugepages. Throws std::runtime_error when there is not so much memory.
  FrameMemory(const std::string& name, std::size_t bytes);
  ~FrameMemory();
  FrameMemory(const FrameMemory&) = delete;
  FrameMemory& operator=(const FrameMemory&) = delete;

  /// What to ask DPDK's allocators for it with.
  [[nodiscard]] int socket() const { return socket_; }

 private:
  std::string name_;
  int socket_;
  std::size_t length_ = 0;
  void* area_ = nullptr;   // as mapped
  void* begin_ = nullptr;  // aligned
};

/// The memory DPDK ports share: a pool of mbufs. A BufferId is the address of a frame's first mbuf, and an mbuf's own
/// reference count counts owners. Satisfies FramePool.
class MbufPool {
 public:
  /// `frames` mbufs with room for `frame_bytes` each, headroom excluded. Throws std::runtime_error when DPDK has not
  /// the memory.
  MbufPool(const std::string& name, std::uint32_t frames, std::uint16_t frame_bytes);
  ~MbufPool() { rte_mempool_free(pool_); }
  MbufPool(const MbufPool&) = delete;
  MbufPool& operator=(const MbufPool&) = delete;

  static rte_mbuf* mbuf(const Frame& frame) { return reinterpret_cast<rte_mbuf*>(frame.buffer); }
  static Frame frame(rte_mbuf* mbuf, HostTime arrived) {
    return {reinterpret_cast<BufferId>(mbuf), rte_pktmbuf_mtod(mbuf, std::byte*), arrived, mbuf->pkt_len,
            mbuf->data_len};
  }

  void share(const Frame& frame, std::uint32_t owners) {
    for (rte_mbuf* segment = mbuf(frame); segment != nullptr; segment = segment->next) {
      rte_mbuf_refcnt_update(segment, static_cast<std::int16_t>(owners));
    }
  }
  void free(const Frame& frame) { rte_pktmbuf_free(mbuf(frame)); }
  [[nodiscard]] bool is_shared(const Frame& frame) const { return rte_mbuf_refcnt_read(mbuf(frame)) > 1; }
  [[nodiscard]] std::optional<Frame> copy(const Frame& frame) {
    rte_mbuf* copied = rte_pktmbuf_copy(mbuf(frame), pool_, 0, UINT32_MAX);
    return copied == nullptr ? std::nullopt : std::optional(MbufPool::frame(copied, frame.arrived));
  }
  [[nodiscard]] std::optional<Frame> make(std::span<const std::byte> bytes) {
    rte_mbuf* made = rte_pktmbuf_alloc(pool_);
    char* room = made == nullptr ? nullptr : rte_pktmbuf_append(made, static_cast<std::uint16_t>(bytes.size()));
    if (room == nullptr) {
      rte_pktmbuf_free(made);
      return std::nullopt;
    }
    std::memcpy(room, bytes.data(), bytes.size());
    return MbufPool::frame(made, {});
  }
  [[nodiscard]] static bool move_start(Frame& frame, int by) {
    const auto bytes = static_cast<std::uint16_t>(by < 0 ? -by : by);
    const char* start = by < 0 ? rte_pktmbuf_prepend(mbuf(frame), bytes) : rte_pktmbuf_adj(mbuf(frame), bytes);
    if (start == nullptr) {
      return false;
    }
    frame = MbufPool::frame(mbuf(frame), frame.arrived);
    return true;
  }
  template <class Each>
  void for_each_segment(const Frame& frame, Each&& each) {
    for (rte_mbuf* segment = mbuf(frame); segment != nullptr; segment = segment->next) {
      each(std::span(rte_pktmbuf_mtod(segment, std::byte*), segment->data_len));
    }
  }

  /// The first of the headroom, of which drivers take the end.
  static std::byte* note(const Frame& frame) { return static_cast<std::byte*>(mbuf(frame)->buf_addr); }

  /// Both lines of the mbuf, which is written when it goes back and comes again, and the frame's first. Into the second
  /// cache: the first has room for fewer misses on their way, and waiting for it cost a fifth of the rate.
  static void fetch(const Frame& frame) {
    rte_prefetch1(mbuf(frame));
    rte_prefetch1(reinterpret_cast<const std::byte*>(mbuf(frame)) + RTE_CACHE_LINE_SIZE);
    rte_prefetch1(frame.data);
  }

  /// Frames that there is room for. Looks at the caches of all threads.
  [[nodiscard]] std::size_t left() const { return rte_mempool_avail_count(pool_); }

  [[nodiscard]] rte_mempool* handle() { return pool_; }
  [[nodiscard]] std::size_t bytes() const { return std::size_t{frames_} * element_bytes_; }

 private:
  FrameMemory memory_;
  rte_mempool* pool_;
  std::uint32_t frames_;
  std::uint32_t element_bytes_;
};

}  // namespace hilgate

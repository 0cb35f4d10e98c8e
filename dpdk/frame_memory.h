// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

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

}  // namespace hilgate

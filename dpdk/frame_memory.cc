// SPDX-License-Identifier: Apache-2.0
#include "dpdk/frame_memory.h"

#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_memory.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "host/large_pages.h"

namespace hilgate {
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

#include "frame/counters.h"

namespace hilgate {

/// The counters of all links, from 0 on. Of many robots most links never have a delivery, so where they are many their
/// memory is taken when a link has its first: a thousand robots have 400 MB of counters. Elsewhere it is taken at once.
class LinkTally {
 public:
  explicit LinkTally(std::size_t links) : bytes_(links * sizeof(LinkCounters)), count_(links) {
    // Fresh pages are zeros, and counters of zeros are counters.
    static_assert(std::is_standard_layout_v<LinkCounters> && std::is_trivially_destructible_v<LinkCounters>);
    if (links == 0) {
      return;
    }
    const bool many = bytes_ > kTakenAtOnce;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (many ? MAP_NORESERVE : MAP_POPULATE);
    void* area = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (area == MAP_FAILED) {
      throw std::bad_alloc();
    }
    if (many) {
      ::madvise(area, bytes_, MADV_NOHUGEPAGE);  // a large page would be cleared for each few links
    }
    first_ = static_cast<LinkCounters*>(area);
  }
  ~LinkTally() {
    if (first_ != nullptr) {
      ::munmap(first_, bytes_);
    }
  }
  LinkTally(const LinkTally&) = delete;
  LinkTally& operator=(const LinkTally&) = delete;

  [[nodiscard]] LinkCounters& operator[](std::size_t link) { return first_[link]; }
  [[nodiscard]] std::span<const LinkCounters> all() const { return {first_, count_}; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kTakenAtOnce = std::size_t{16} << 20;  // of some 200 robots

  std::size_t bytes_;
  std::size_t count_;
  LinkCounters* first_ = nullptr;
};

}  // namespace hilgate

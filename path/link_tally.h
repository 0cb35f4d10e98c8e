// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

#include "frame/counters.h"

namespace hilgate {

/// The counters of links, from 0 on. Of many robots most links never have a delivery, so where they are many their
/// memory is taken when a link has its first: a thousand robots have 400 MB of counters. Elsewhere it is taken at once.
template <class Counters>
class TallyOf {
 public:
  explicit TallyOf(std::size_t links) : bytes_(links * sizeof(Counters)), count_(links) {
    // Fresh pages are zeros, and counters of zeros are counters.
    static_assert(std::is_standard_layout_v<Counters> && std::is_trivially_destructible_v<Counters>);
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
    first_ = static_cast<Counters*>(area);
  }
  ~TallyOf() {
    if (first_ != nullptr) {
      ::munmap(first_, bytes_);
    }
  }
  TallyOf(const TallyOf&) = delete;
  TallyOf& operator=(const TallyOf&) = delete;

  [[nodiscard]] Counters& operator[](std::size_t link) { return first_[link]; }
  [[nodiscard]] std::span<const Counters> all() const { return {first_, count_}; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kTakenAtOnce = std::size_t{16} << 20;  // of some 200 robots

  std::size_t bytes_;
  std::size_t count_;
  Counters* first_ = nullptr;
};

using LinkTally = TallyOf<LinkCounters>;

}  // namespace hilgate

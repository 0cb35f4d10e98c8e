// SPDX-License-Identifier: Apache-2.0
// Memory of the packet loop, in pages of 2 MiB where the kernel gives them for the asking: with pages of 4 KiB, a hold
// of many frames costs a TLB miss for nearly each (sysfs: kernel/mm/transparent_hugepage/enabled is madvise or always).
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace hilgate {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Asks for large pages in [area, area + bytes); without them it changes nothing.
inline void prefer_large_pages(void* area, std::size_t bytes) {
  ::madvise(area, bytes, MADV_HUGEPAGE);
}

/// Makes room for so many items in large pages, before these are there: of a container that is read all over the place.
template <class T>
void reserve_large_pages(std::vector<T>& items, std::size_t size) {
  if (items.capacity() >= size) {
    return;
  }
  items.reserve(size);
  void* area = items.data();
  std::size_t bytes = size * sizeof(T);
  if (std::align(kLargePage, kLargePage, area, bytes) != nullptr) {
    prefer_large_pages(area, bytes / kLargePage * kLargePage);
  }
}

/// Has the kernel clear the pages of [area, area + bytes) now, and not when they are first touched. A page at a time,
/// so that other threads may map memory meanwhile. Before Linux 5.14 it changes nothing.
inline void populate(std::byte* area, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLargePage) {
    ::madvise(area + at, std::min(kLargePage, bytes - at), MADV_POPULATE_WRITE);
  }
}

/// For containers that are allocated once: what is smaller than a large page comes from the ordinary heap.
template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators are rebound

  T* allocate(std::size_t count) {
    if (count > (std::numeric_limits<std::size_t>::max() - kLargePage) / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLargePage) {
      return static_cast<T*>(::operator new (bytes, std::align_val_t{alignof(T)}));
    }
    void* area = std::aligned_alloc(kLargePage, rounded(bytes));
    if (area == nullptr) {
      throw std::bad_alloc();
    }
    prefer_large_pages(area, rounded(bytes));
    return static_cast<T*>(area);
  }
  void deallocate(T* area, std::size_t count) {
    if (count * sizeof(T) < kLargePage) {
      ::operator delete (area, std::align_val_t{alignof(T)});
    } else {
      std::free(area);
    }
  }
  friend bool operator==(const LargePageAllocator&, const LargePageAllocator&) { return true; }

 private:
  static std::size_t rounded(std::size_t bytes) { return (bytes + kLargePage - 1) / kLargePage * kLargePage; }
};

}  // namespace hilgate

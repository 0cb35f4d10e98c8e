// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace hilgate {

/// A bounded queue from one thread to one other. Wait-free: calls fail on a full ring, and on an empty one. Does not
/// allocate after construction. Each side keeps what it last saw of the other's index, so that the line they share
/// moves between processors only when it must.
template <class T>
class SpscRing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Room for at least `capacity` items.
  explicit SpscRing(std::size_t capacity) : items_(capacity > 0 ? std::bit_ceil(capacity) : 0) {}

  /// Writer: false when it is full.
  bool push(const T& item) {
    T* place = claim();
    if (place == nullptr) {
      return false;
    }
    *place = item;
    publish();
    return true;
  }
  /// Writer: the slot of the next item, to construct it there instead of copying; null when the ring is full.
  [[nodiscard]] T* claim() {
    if (next_ - seen_read_ == items_.size()) {
      seen_read_ = read_.load(std::memory_order_acquire);
      if (next_ - seen_read_ == items_.size()) {
        return nullptr;
      }
    }
    return &items_[next_ & (items_.size() - 1)];
  }
  /// Writer: what was claimed is written.
  void publish() {
    stage();
    publish_staged();
  }
  /// Writer: the same, and the reader sees it with the next publish_staged() alone. The line that both sides look at
  /// then moves between processors once for several items.
  void stage() { ++next_; }
  void publish_staged() { written_.store(next_, std::memory_order_release); }

  /// Writer: items that the reader has not taken yet.
  [[nodiscard]] std::size_t waiting() const { return next_ - read_.load(std::memory_order_acquire); }

  /// Reader: false when it is empty.
  bool pop(T& item) {
    const T* oldest = front();
    if (oldest == nullptr) {
      return false;
    }
    item = *oldest;
    drop_front();
    return true;
  }
  /// Reader: the oldest item in its slot, null when the ring is empty.
  [[nodiscard]] const T* front() { return after_front(0); }
  /// Reader: the item `offset` after the oldest, null where the ring has fewer.
  [[nodiscard]] const T* after_front(std::size_t offset) {
    const std::uint64_t at = read_.load(std::memory_order_relaxed) + offset;
    if (at >= seen_written_) {
      seen_written_ = written_.load(std::memory_order_acquire);
      if (at >= seen_written_) {
        return nullptr;
      }
    }
    return &items_[at & (items_.size() - 1)];
  }
  /// Reader: done with the oldest `count`, which the ring has.
  void drop_front(std::size_t count = 1) {
    read_.store(read_.load(std::memory_order_relaxed) + count, std::memory_order_release);
  }

  [[nodiscard]] std::size_t bytes() const { return items_.size() * sizeof(T); }

 private:
  static constexpr std::size_t kLine = 64;
  std::vector<T> items_;
  alignas(kLine) std::atomic<std::uint64_t> written_{0};
  alignas(kLine) std::uint64_t next_ = 0;  // the writer's, as seen_read_: where it writes next
  std::uint64_t seen_read_ = 0;
  alignas(kLine) std::atomic<std::uint64_t> read_{0};
  std::uint64_t seen_written_ = 0;  // the reader's
};

}  // namespace hilgate

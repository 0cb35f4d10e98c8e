// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hilgate {

/// One writer publishes a small plain value; any number of readers take consistent copies, without locks.
/// Wait-free for the writer. A reader repeats only while a write is under way.
/// The words are atomics read relaxed: H.-J. Boehm, "Can seqlocks get along with programming language memory
/// models?", MSPC'12.
template <class T>
class Seqlock {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t kWords = (sizeof(T) + 7) / 8;

 public:
  explicit Seqlock(const T& value = T{}) { store(value); }

  /// Called by one thread only.
  void store(const T& value) {
    std::uint64_t words[kWords] = {};
    std::memcpy(words, &value, sizeof(T));
    const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed);
    sequence_.store(sequence + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < kWords; ++i) {
      words_[i].store(words[i], std::memory_order_relaxed);
    }
    sequence_.store(sequence + 2, std::memory_order_release);
  }

  [[nodiscard]] T load() const {
    for (;;) {
      const std::uint64_t before = sequence_.load(std::memory_order_acquire);
      std::uint64_t words[kWords];
      for (std::size_t i = 0; i < kWords; ++i) {
        words[i] = words_[i].load(std::memory_order_relaxed);
      }
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && sequence_.load(std::memory_order_relaxed) == before) {
        T value;
        std::memcpy(static_cast<void*>(&value), words, sizeof(T));
        return value;
      }
    }
  }

  /// Even; grows by two with every store. Lets a reader see cheaply whether there is something new.
  [[nodiscard]] std::uint64_t version() const { return sequence_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> words_[kWords] = {};
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace hilgate {

/// Bytes in the order in which they came, up to a limit. Used by one thread; does not allocate after construction.
class ByteFifo {
 public:
  explicit ByteFifo(std::size_t capacity) : bytes_(capacity) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t room() const { return bytes_.size() - size_; }

  /// Adds what there is room for; returns how many bytes that was.
  std::size_t push(std::span<const std::byte> bytes) {
    const std::size_t count = std::min(bytes.size(), room());
    for (const std::byte byte : bytes.first(count)) {
      bytes_[(first_ + size_++) % bytes_.size()] = byte;
    }
    return count;
  }
  /// Copies bytes from `offset` on, and leaves them; returns how many there were.
  std::size_t peek(std::size_t offset, std::span<std::byte> to) const {
    const std::size_t count = offset < size_ ? std::min(to.size(), size_ - offset) : 0;
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = bytes_[(first_ + offset + i) % bytes_.size()];
    }
    return count;
  }
  void drop(std::size_t count) {
    first_ = (first_ + count) % bytes_.size();
    size_ -= count;
  }
  void clear() { drop(size_); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hilgate

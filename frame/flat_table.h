// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hilgate {

/// Folds a key into 64 bits; specialise for other keys than integers. FlatTable does the mixing.
template <class Key>
struct FlatHash {
  std::uint64_t operator()(const Key& key) const { return key; }
};

/// Hash table with open addressing and a capacity fixed at construction: lookups touch one or two cache lines,
/// nothing allocates afterwards.
template <class Key, class Value>
class FlatTable {
 public:
  /// Room for `capacity` keys at a load of at most one half.
  explicit FlatTable(std::size_t capacity = 0) : slots_(std::bit_ceil(2 * capacity + 2)), capacity_(capacity) {}

  [[nodiscard]] const Value* find(const Key& key) const {
    for (std::size_t i = place(key); slots_[i].used; i = next(i)) {
      if (slots_[i].key == key) {
        return &slots_[i].value;
      }
    }
    return nullptr;
  }

  /// False when the table is full; an existing key keeps its value.
  bool insert(const Key& key, const Value& value) {
    std::size_t i = place(key);
    for (; slots_[i].used; i = next(i)) {
      if (slots_[i].key == key) {
        return true;
      }
    }
    if (size_ == capacity_) {
      return false;
    }
    slots_[i] = {key, value, true};
    ++size_;
    return true;
  }

  /// The value of an existing key, which may be changed.
  [[nodiscard]] Value* find(const Key& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  /// The following entries of its run move up, so that no mark of it stays.
  void erase(const Key& key) {
    std::size_t hole = place(key);
    while (slots_[hole].used && !(slots_[hole].key == key)) {
      hole = next(hole);
    }
    if (!slots_[hole].used) {
      return;
    }
    for (std::size_t i = next(hole); slots_[i].used; i = next(i)) {
      const std::size_t wanted = place(slots_[i].key);
      const bool reaches_hole = hole <= i ? (wanted <= hole || wanted > i) : (wanted <= hole && wanted > i);
      if (reaches_hole) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole] = {};
    --size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    Key key{};
    Value value{};
    bool used = false;
  };

  // Fibonacci hashing spreads the last bits, in which addresses of one lab differ.
  [[nodiscard]] std::size_t place(const Key& key) const {
    return static_cast<std::size_t>((FlatHash<Key>{}(key)*0x9E3779B97F4A7C15ULL) >> 32) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }

  std::vector<Slot> slots_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "frame/headers.h"
#include "frame/id.h"

namespace hilgate {

/// The unicast flow a port saw last. Frames come in trains of one flow, so most need two compares instead of a parse
/// and two look-ups. Holds only what the 14 bytes of an untagged Ethernet header decide.
class FlowCache {
 public:
  struct Flow {
    RobotSlot from;
    RobotSlot to;
  };

  /// The flow of this frame, if it is the remembered one. Requires bytes.size() >= kEthernetHeader.
  [[nodiscard]] const Flow* find(std::span<const std::byte> bytes) const {
    return first(bytes) == first_ && last(bytes) == last_ ? &flow_ : nullptr;
  }
  /// Valid only after find() has returned true.
  [[nodiscard]] const Flow& remembered() const { return flow_; }
  /// Requires a frame whose Ethernet payload begins at kEthernetHeader.
  void remember(std::span<const std::byte> bytes, Flow flow) {
    first_ = first(bytes);
    last_ = last(bytes);
    flow_ = flow;
  }

  /// Until the next remember(), as at first.
  void forget() {
    first_ = 0;
    last_ = ~std::uint64_t{0};
  }

 private:
  static std::uint64_t first(std::span<const std::byte> bytes) { return word_at(bytes, 0); }
  static std::uint64_t last(std::span<const std::byte> bytes) { return word_at(bytes, kEthernetHeader - 8); }
  static std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + offset, sizeof(word));
    return word;
  }

  // At first no frame: the words overlap by two bytes, which cannot be both zeros and ones.
  std::uint64_t first_ = 0;
  std::uint64_t last_ = ~std::uint64_t{0};
  Flow flow_;
};

}  // namespace hilgate

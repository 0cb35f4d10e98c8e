// SPDX-License-Identifier: Apache-2.0
// Frame memory and ports of a gateway that runs without any: ordinary vectors, which grow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/frame.h"

namespace hilgate {

/// Models FramePool. Each frame is in one piece, with room for a VLAN tag in front of it.
class OfflineMemory {
 public:
  /// A frame with one owner, of `length` bytes; those after `bytes` are 0.
  Frame add(std::span<const std::byte> bytes, std::uint32_t length, HostTime arrived) {
    const BufferId id = take();
    Buffer& buffer = buffers_[id];
    buffer.bytes.assign(kRoom + length, std::byte{0});
    std::copy_n(bytes.begin(), std::min<std::size_t>(bytes.size(), length), buffer.bytes.begin() + kRoom);
    buffer.start = kRoom;
    buffer.arrived = arrived;
    return frame_of(id);
  }

  void share(const Frame& frame, std::uint32_t owners) { buffers_[frame.buffer].owners += owners; }
  void free(const Frame& frame) {
    if (--buffers_[frame.buffer].owners == 0) {
      free_.push_back(frame.buffer);
    }
  }
  [[nodiscard]] bool is_shared(const Frame& frame) { return buffers_[frame.buffer].owners > 1; }
  std::optional<Frame> copy(const Frame& frame) {
    const BufferId id = take();
    Buffer& to = buffers_[id];
    const Buffer& from = buffers_[frame.buffer];
    to.bytes = from.bytes;
    to.start = from.start;
    to.arrived = from.arrived;
    return frame_of(id);
  }
  std::optional<Frame> make(std::span<const std::byte> bytes) {
    return add(bytes, static_cast<std::uint32_t>(bytes.size()), {});
  }
  bool move_start(Frame& frame, int by) {
    Buffer& buffer = buffers_[frame.buffer];
    if (by < 0 && buffer.start < static_cast<std::size_t>(-by)) {
      return false;
    }
    buffer.start = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(buffer.start) + by);
    frame = frame_of(frame.buffer);
    return true;
  }
  template <class Each>
  void for_each_segment(const Frame& frame, Each&& each) {
    Buffer& buffer = buffers_[frame.buffer];
    each(std::span<std::byte>(buffer.bytes).subspan(buffer.start));
  }
  [[nodiscard]] std::byte* note(const Frame& frame) { return buffers_[frame.buffer].note.data(); }
  void fetch(const Frame&) {}

 private:
  static constexpr std::size_t kRoom = 16;
  struct Buffer {
    std::vector<std::byte> bytes{};
    std::size_t start = 0;
    std::uint32_t owners = 0;
    HostTime arrived{};
    std::array<std::byte, kNoteBytes> note{};
  };

  BufferId take() {
    if (free_.empty()) {
      free_.push_back(buffers_.size());
      buffers_.emplace_back();
    }
    const BufferId id = free_.back();
    free_.pop_back();
    buffers_[id].owners = 1;
    buffers_[id].note = {};
    return id;
  }
  [[nodiscard]] Frame frame_of(BufferId id) {
    Buffer& buffer = buffers_[id];
    const auto length = static_cast<std::uint32_t>(buffer.bytes.size() - buffer.start);
    return {.buffer = id,
            .data = buffer.bytes.data() + buffer.start,
            .arrived = buffer.arrived,
            .length = length,
            .head_length = length};
  }

  std::deque<Buffer> buffers_;  // by BufferId; they stay where they are
  std::vector<BufferId> free_;
};
static_assert(FramePool<OfflineMemory>);

/// Models FramePort: frames come in by arrive(), and whatever is released is as good as sent.
class OfflinePort {
 public:
  /// `memory` must outlive the port.
  explicit OfflinePort(OfflineMemory& memory) : memory_(&memory) {}

  void arrive(const Frame& frame) { arrived_.push_back(frame); }
  std::size_t capture(std::span<Frame> burst) {
    const std::size_t count = std::min(burst.size(), arrived_.size());
    std::copy_n(arrived_.begin(), count, burst.begin());
    arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  bool release(const Frame& frame) {
    memory_->free(frame);
    return true;
  }
  void flush() {}

 private:
  OfflineMemory* memory_;
  std::vector<Frame> arrived_;
};
static_assert(FramePort<OfflinePort>);

}  // namespace hilgate

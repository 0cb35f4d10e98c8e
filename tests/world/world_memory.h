// SPDX-License-Identifier: Apache-2.0
// Frame memory of a world: buffers that know what was put into them, whatever happens to the bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "frame/frame.h"
#include "tests/world/world_faults.h"

namespace hilgate::test {

/// What the path should make of a frame.
enum class FrameKind : std::uint8_t {
  kOwn,       // the gateway's, not a robot's
  kRobots,    // of a robot: what becomes of it depends on its links
  kRunt,      // dropped as runt,
  kOversize,  // oversize,
  kUnknown,   // unknown_sender,
  kSpoofed,   // spoofed_sender
};
inline constexpr std::size_t kFrameKinds = 6;

/// Of a frame, for the world alone.
struct FrameIdentity {
  static constexpr std::uint32_t kEverybody = ~std::uint32_t{0};

  std::uint64_t number = 0;  // of its sender's frames, rising
  HostTime arrived{};
  std::uint32_t port = 0;  // it came in by
  std::uint32_t from = 0;  // slot
  std::uint32_t to = 0;    // slot, or kEverybody
  FrameKind kind = FrameKind::kOwn;
};

/// Models FramePool. Ports have shares as of AF_XDP's memory (xdp/umem.h).
class WorldMemory {
 public:
  static constexpr std::size_t kBytes = 320;

  WorldMemory(std::size_t buffers, std::size_t ports, WorldFaults& faults)
      : faults_(faults), buffers_(buffers), held_(ports) {
    free_.reserve(buffers);
    for (std::size_t i = 0; i < buffers; ++i) {
      free_.push_back(static_cast<std::uint32_t>(buffers - 1 - i));
    }
  }
  WorldMemory(const WorldMemory&) = delete;
  WorldMemory& operator=(const WorldMemory&) = delete;

  /// A frame with one owner that arrives now; of two segments when `head` is shorter than it.
  std::optional<Frame> arrive(std::span<const std::byte> bytes, const FrameIdentity& identity, std::size_t head) {
    const auto frame = take(bytes, std::min(head, bytes.size()), identity);
    if (frame) {
      ++held_[identity.port];
    }
    return frame;
  }
  /// One that nobody captured, or that a port has sent.
  void free(const Frame& frame) {
    Buffer* buffer = owned(frame);
    if (buffer != nullptr && --buffer->owners == 0) {
      if (buffer->identity.kind != FrameKind::kOwn && !buffer->copied) {
        --held_[buffer->identity.port];
      }
      free_.push_back(static_cast<std::uint32_t>(frame.buffer));
    }
  }
  void share(const Frame& frame, std::uint32_t owners) {
    if (Buffer* buffer = owned(frame)) {
      buffer->owners += owners;
    }
  }
  [[nodiscard]] bool is_shared(const Frame& frame) {
    const Buffer* buffer = owned(frame);
    return buffer != nullptr && buffer->owners > 1;
  }
  std::optional<Frame> copy(const Frame& frame) {
    if (no_copies) {
      return std::nullopt;
    }
    const Buffer& from = buffers_[frame.buffer];
    const auto copied = take({from.bytes.data(), from.length}, from.head, from.identity);
    if (copied) {
      buffers_[copied->buffer].copied = true;
    }
    return copied;
  }
  std::optional<Frame> make(std::span<const std::byte> bytes) {
    return bytes.size() > kBytes ? std::nullopt : take(bytes, bytes.size(), {});
  }
  [[nodiscard]] static bool move_start(Frame&, int) { return false; }  // no world has a trunk
  template <class Each>
  void for_each_segment(const Frame& frame, Each&& each) {
    if (Buffer* buffer = owned(frame)) {
      each(std::span(buffer->bytes.data(), buffer->head));
      if (buffer->head < buffer->length) {
        each(std::span(buffer->bytes.data() + buffer->head, buffer->length - buffer->head));
      }
    }
  }
  [[nodiscard]] std::byte* note(const Frame& frame) { return buffers_[frame.buffer].note.data(); }
  void fetch(const Frame& frame) { owned(frame); }
  [[nodiscard]] bool within_share(const Frame& frame) {
    const Buffer* buffer = owned(frame);
    return buffer == nullptr || held_[buffer->identity.port] <= 4 * free_.size();
  }

  [[nodiscard]] const FrameIdentity& identity(const Frame& frame) const { return buffers_[frame.buffer].identity; }
  /// Of the bytes as they are.
  [[nodiscard]] std::uint64_t digest(const Frame& frame) const {
    const Buffer& buffer = buffers_[frame.buffer];
    std::uint64_t sum = buffer.length;
    for (std::size_t at = 0; at < buffer.length; at += sizeof sum) {
      std::uint64_t word = 0;
      std::memcpy(&word, buffer.bytes.data() + at, std::min(sizeof word, buffer.length - at));
      sum = (sum ^ word) * 0x9E3779B97F4A7C15;
      sum ^= sum >> 29;
    }
    return sum;
  }
  /// Buffers with owners.
  [[nodiscard]] std::size_t used() const { return buffers_.size() - free_.size(); }

  bool no_copies = false;  // as if there were no memory for private copies

 private:
  struct Buffer {
    std::array<std::byte, kBytes> bytes{};
    std::array<std::byte, kNoteBytes> note{};
    FrameIdentity identity;
    std::uint32_t owners = 0;
    std::uint32_t length = 0;
    std::uint32_t head = 0;
    bool copied = false;
  };

  Buffer* owned(const Frame& frame) {
    Buffer& buffer = buffers_[frame.buffer];
    faults_.require(buffer.owners > 0, "buffer {} is used without an owner", frame.buffer);
    return buffer.owners > 0 ? &buffer : nullptr;
  }
  std::optional<Frame> take(std::span<const std::byte> bytes, std::size_t head, const FrameIdentity& identity) {
    if (free_.empty()) {
      return std::nullopt;
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Buffer& buffer = buffers_[index];
    std::ranges::copy(bytes, buffer.bytes.begin());
    buffer.identity = identity;
    buffer.owners = 1;
    buffer.length = static_cast<std::uint32_t>(bytes.size());
    buffer.head = static_cast<std::uint32_t>(head);
    buffer.copied = false;
    return Frame{.buffer = index,
                 .data = buffer.bytes.data(),
                 .arrived = identity.arrived,
                 .length = buffer.length,
                 .head_length = buffer.head};
  }

  WorldFaults& faults_;
  std::vector<Buffer> buffers_;
  std::vector<std::uint32_t> free_;
  std::vector<std::size_t> held_;  // captured and not released, by port
};
static_assert(FramePool<WorldMemory>);

}  // namespace hilgate::test

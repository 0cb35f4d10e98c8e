// SPDX-License-Identifier: Apache-2.0
// Frame memory and a port on ordinary vectors, which watch how the path treats its frames.
//
// Every buffer counts its owners: using or freeing one that has none fails the test, and leaked() tells of those that
// nobody freed. Segments lie apart, with poisoned gaps between them, so that AddressSanitizer sees a step outside; a
// pattern in the gaps catches stray writes without it. Nothing allocates after construction but what is asked for:
// make(), arrive() and keeping bytes.
#pragma once

#include <gtest/gtest.h>
#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/frame.h"
#include "tests/support/fake_clock.h"
#include "tests/support/packets.h"

namespace hilgate::test {

/// FNV-1a, to compare what went out without keeping it.
inline std::uint64_t digest(std::span<const std::byte> bytes, std::uint64_t seed = 0xCBF29CE484222325) {
  for (const std::byte byte : bytes) {
    seed = (seed ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3;
  }
  return seed;
}

/// Models FramePool.
class VectorPool {
 public:
  static constexpr std::size_t kMaxSegments = 24;
  static constexpr std::size_t kGap = 64;

  explicit VectorPool(std::size_t buffers, std::size_t buffer_bytes = 4096)
      : buffer_bytes_(buffer_bytes), gap_(buffer_bytes, kPattern), buffers_(buffers) {
    for (std::size_t i = 0; i < buffers; ++i) {
      buffers_[i].memory = std::make_unique<std::byte[]>(buffer_bytes_);
      std::memcpy(buffers_[i].memory.get(), gap_.data(), buffer_bytes_);
      seal(buffers_[i]);
      free_.push_back(buffers - 1 - i);
    }
  }
  VectorPool(const VectorPool&) = delete;
  VectorPool& operator=(const VectorPool&) = delete;
  ~VectorPool() {
    for (Buffer& buffer : buffers_) {
      ASAN_UNPOISON_MEMORY_REGION(buffer.memory.get(), buffer_bytes_);
    }
  }

  /// A frame with one owner, in segments of the given sizes (the last takes the rest). Empty when memory is short.
  std::optional<Frame> make(std::span<const std::byte> bytes, HostTime arrived = {},
                            const std::vector<std::size_t>& sizes = {}) {
    const auto index = take();
    if (!index) {
      return std::nullopt;
    }
    Buffer& buffer = buffers_[*index];
    std::size_t at = 0;
    for (std::size_t i = 0; at < bytes.size() || i == 0; ++i) {
      const std::size_t left = bytes.size() - at;
      const std::size_t size = i < sizes.size() ? std::min(sizes[i], left) : left;
      add_segment(buffer, size);
      std::ranges::copy(bytes.subspan(at, size), buffer.memory.get() + buffer.segments[buffer.count - 1].begin);
      at += size;
    }
    buffer.arrived = arrived;
    return frame_of(*index);
  }

  void share(const Frame& frame, std::uint32_t owners) { owned(frame).owners += owners; }
  void free(const Frame& frame) {
    Buffer& buffer = owned(frame);
    if (--buffer.owners == 0) {
      check_gaps(buffer);
      seal(buffer);
      free_.push_back(static_cast<std::size_t>(frame.buffer));
    }
  }
  [[nodiscard]] bool is_shared(const Frame& frame) { return owned(frame).owners > 1; }
  std::optional<Frame> copy(const Frame& frame) {
    if (copies_allowed == 0) {
      return std::nullopt;
    }
    const auto index = take();
    if (!index) {
      return std::nullopt;
    }
    --copies_allowed;
    Buffer& to = buffers_[*index];
    const Buffer& from = owned(frame);
    for (std::size_t i = 0; i < from.count; ++i) {
      add_segment(to, from.segments[i].size);
      std::memcpy(to.memory.get() + to.segments[i].begin, from.memory.get() + from.segments[i].begin,
                  from.segments[i].size);
    }
    to.arrived = from.arrived;
    return frame_of(*index);
  }
  bool move_start(Frame& frame, int by) {
    Buffer& buffer = owned(frame);
    Segment& first = buffer.segments[0];
    if (by < 0 && first.begin < static_cast<std::size_t>(-by)) {
      return false;
    }
    std::byte* const start = buffer.memory.get() + first.begin;
    if (by < 0) {
      ASAN_UNPOISON_MEMORY_REGION(start + by, static_cast<std::size_t>(-by));
    } else {
      std::memset(start, std::to_integer<int>(kPattern), static_cast<std::size_t>(by));
      ASAN_POISON_MEMORY_REGION(start, static_cast<std::size_t>(by));
    }
    first.begin += static_cast<std::size_t>(by);
    first.size -= static_cast<std::size_t>(by);
    frame = frame_of(static_cast<std::size_t>(frame.buffer));
    return true;
  }
  template <class Each>
  void for_each_segment(const Frame& frame, Each&& each) {
    const Buffer& buffer = owned(frame);
    for (std::size_t i = 0; i < buffer.count; ++i) {
      each(std::span(buffer.memory.get() + buffer.segments[i].begin, buffer.segments[i].size));
    }
  }

  [[nodiscard]] std::byte* note(const Frame& frame) { return owned(frame).note.data(); }

  /// Counted, and the frame must have an owner.
  void fetch(const Frame& frame) {
    owned(frame);
    ++fetched_;
  }
  [[nodiscard]] std::uint64_t fetched() const { return fetched_; }

  /// All bytes of a frame in one piece.
  [[nodiscard]] Bytes bytes(const Frame& frame) {
    Bytes all;
    for_each_segment(frame, [&all](std::span<std::byte> part) { all.insert(all.end(), part.begin(), part.end()); });
    return all;
  }
  [[nodiscard]] std::uint64_t frame_digest(const Frame& frame) {
    std::uint64_t sum = digest({});
    for_each_segment(frame, [&sum](std::span<std::byte> part) { sum = digest(part, sum); });
    return sum;
  }

  /// Buffers that still have owners.
  [[nodiscard]] std::size_t leaked() const { return buffers_.size() - free_.size(); }
  /// Of a pool that has all its buffers: from here on it gives them out as a new one does.
  void rewind() { std::ranges::sort(free_, std::greater<>()); }
  /// As given to make(), also of copies; a held frame itself does not know any more.
  [[nodiscard]] HostTime arrived(const Frame& frame) { return owned(frame).arrived; }
  [[nodiscard]] std::uint32_t owners(const Frame& frame) const {
    return buffers_[static_cast<std::size_t>(frame.buffer)].owners;
  }

  /// How many more copies there is memory for.
  std::size_t copies_allowed = SIZE_MAX;

 private:
  struct Segment {
    std::size_t begin;
    std::size_t size;
  };
  struct Buffer {
    std::unique_ptr<std::byte[]> memory;
    std::array<Segment, kMaxSegments> segments{};
    std::size_t count = 0;
    std::uint32_t owners = 0;
    std::array<std::byte, kNoteBytes> note{};
    HostTime arrived{};
  };
  static constexpr std::byte kPattern{0xA5};
  std::uint64_t fetched_ = 0;

  void seal(Buffer& buffer) {
    ASAN_POISON_MEMORY_REGION(buffer.memory.get(), buffer_bytes_);
    buffer.count = 0;
  }
  std::optional<std::size_t> take() {
    if (free_.empty()) {
      return std::nullopt;
    }
    const std::size_t index = free_.back();
    free_.pop_back();
    buffers_[index].owners = 1;
    return index;
  }
  void add_segment(Buffer& buffer, std::size_t size) {
    std::size_t begin = kGap;
    if (buffer.count > 0) {
      const Segment& last = buffer.segments[buffer.count - 1];
      begin = (last.begin + last.size + 2 * kGap - 1) / kGap * kGap;
    }
    // A test that asks for more than it made room for is wrong itself.
    if (buffer.count == kMaxSegments || begin + size + kGap > buffer_bytes_) {
      ADD_FAILURE() << "VectorPool: a frame does not fit into a buffer of " << buffer_bytes_ << " bytes";
      std::abort();
    }
    buffer.segments[buffer.count++] = {begin, size};
    ASAN_UNPOISON_MEMORY_REGION(buffer.memory.get() + begin, size);
  }
  [[nodiscard]] Frame frame_of(std::size_t index) const {
    const Buffer& buffer = buffers_[index];
    std::size_t length = 0;
    for (std::size_t i = 0; i < buffer.count; ++i) {
      length += buffer.segments[i].size;
    }
    return {.buffer = index,
            .data = buffer.memory.get() + buffer.segments[0].begin,
            .arrived = buffer.arrived,
            .length = static_cast<std::uint32_t>(length),
            .head_length = static_cast<std::uint32_t>(buffer.segments[0].size)};
  }
  Buffer& owned(const Frame& frame) {
    Buffer& buffer = buffers_[static_cast<std::size_t>(frame.buffer)];
    if (buffer.owners == 0) {
      ADD_FAILURE() << "VectorPool: buffer " << frame.buffer << " is used without an owner";
      std::abort();
    }
    return buffer;
  }
  // Leaves the bytes of all segments as the gaps are.
  void check_gaps(Buffer& buffer) {
    ASAN_UNPOISON_MEMORY_REGION(buffer.memory.get(), buffer_bytes_);
    std::size_t at = 0;
    for (std::size_t i = 0; i <= buffer.count; ++i) {
      const std::size_t end = i < buffer.count ? buffer.segments[i].begin : buffer_bytes_;
      if (std::memcmp(buffer.memory.get() + at, gap_.data(), end - at) != 0) {
        ADD_FAILURE() << "VectorPool: a byte outside the frame was written, between " << at << " and " << end;
        std::abort();
      }
      if (i < buffer.count) {
        std::memset(buffer.memory.get() + end, std::to_integer<int>(kPattern), buffer.segments[i].size);
        at = end + buffer.segments[i].size;
      }
    }
  }

  std::size_t buffer_bytes_;
  Bytes gap_;  // what a buffer has outside of its frame
  std::vector<Buffer> buffers_;
  std::vector<std::size_t> free_;
};
static_assert(FramePool<VectorPool>);

/// What a port sent.
struct Sent {
  HostTime at;
  HostTime arrived;
  std::uint32_t length;
  std::uint64_t digest;
  Bytes bytes;  // empty unless the port keeps them
  friend bool operator==(const Sent&, const Sent&) = default;
};

/// Models FramePort. Frames are given with arrive() and become visible when the clock has reached their arrival.
class VectorPort {
 public:
  VectorPort(VectorPool& pool, FakeClock& clock, std::size_t room = 65536) : pool_(&pool), clock_(&clock) {
    arrivals_.reserve(room);
    sent_.reserve(room);
    sending_.reserve(room);
  }
  VectorPort(const VectorPort&) = delete;
  VectorPort& operator=(const VectorPort&) = delete;
  ~VectorPort() { reap(); }

  /// In order of arrival.
  void arrive(const Frame& frame) { arrivals_.push_back(frame); }

  std::size_t capture(std::span<Frame> burst) {
    std::size_t count = 0;
    while (count < std::min(burst.size(), burst_limit) && next_ < arrivals_.size() &&
           arrivals_[next_].arrived <= clock_->now()) {
      burst[count++] = arrivals_[next_++];
    }
    return count;
  }
  bool release(const Frame& frame) {
    if (sending_.size() >= tx_room || away) {
      return false;
    }
    sent_.push_back({clock_->now(), pool_->arrived(frame), frame.length, pool_->frame_digest(frame),
                     keep_bytes ? pool_->bytes(frame) : Bytes{}});
    sending_.push_back(frame);
    return true;
  }
  void flush() {
    if (!stuck) {
      reap();
    }
  }
  /// What the wire has taken is free again.
  void reap() {
    for (const Frame& frame : sending_) {
      pool_->free(frame);
    }
    sending_.clear();
  }
  /// Gives back what nobody captured.
  void discard_arrivals() {
    for (; next_ < arrivals_.size(); ++next_) {
      pool_->free(arrivals_[next_]);
    }
  }

  [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }
  [[nodiscard]] std::size_t waiting() const { return arrivals_.size() - next_; }

  std::size_t burst_limit = SIZE_MAX;
  std::size_t tx_room = SIZE_MAX;  // frames on their way out before release() says full
  bool stuck = false;              // true: the wire takes nothing, so nothing is reaped
  bool keep_bytes = false;
  bool away = false;  // there is no interface

  [[nodiscard]] bool unplugged() const { return away; }

 private:
  VectorPool* pool_;
  FakeClock* clock_;
  std::vector<Frame> arrivals_;
  std::size_t next_ = 0;
  std::vector<Sent> sent_;
  std::vector<Frame> sending_;
};
static_assert(FramePort<VectorPort>);

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Packets whose bytes are in memory of another owner, as frames of the packet path: sender, receiver and length.
// Control thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/frame.h"
#include "frame/headers.h"
#include "frame/id.h"

namespace hilgate {

/// Models FramePool. A frame's memory is its MAC header alone; the path changes no byte of it, because nothing is
/// damaged here (AirNetwork).
class PacketPool {
 public:
  struct Packet {
    std::uint64_t id = 0;
    RobotIndex from{};
    std::optional<RobotIndex> to{};  // empty: everybody
    bool received = false;           // by any robot
    std::uint32_t owners = 0;
    std::array<std::byte, kEthernetHeader> header{};
    std::array<std::byte, kNoteBytes> note{};
  };

  /// `length`: bytes of the whole frame. The frame has one owner.
  Frame add(const Packet& packet, std::uint32_t length, HostTime arrived);
  [[nodiscard]] Packet& operator[](BufferId buffer) { return packets_[static_cast<std::size_t>(buffer)]; }
  /// Those without an owner, until recycle().
  [[nodiscard]] std::span<const BufferId> gone() const { return gone_; }
  void recycle();

  void share(const Frame& frame, std::uint32_t owners) { (*this)[frame.buffer].owners += owners; }
  void free(const Frame& frame) {
    if (--(*this)[frame.buffer].owners == 0) {
      gone_.push_back(frame.buffer);
    }
  }
  [[nodiscard]] bool is_shared(const Frame& frame) { return (*this)[frame.buffer].owners > 1; }
  static std::optional<Frame> copy(const Frame&) { return std::nullopt; }
  static std::optional<Frame> make(std::span<const std::byte>) { return std::nullopt; }
  static bool move_start(Frame&, int) { return false; }
  template <class Each>
  void for_each_segment(const Frame& frame, Each&& each) {
    each(std::span<std::byte>((*this)[frame.buffer].header));
  }
  [[nodiscard]] std::byte* note(const Frame& frame) { return (*this)[frame.buffer].note.data(); }
  void fetch(const Frame&) {}

 private:
  std::deque<Packet> packets_;  // by BufferId; they stay where they are
  std::vector<BufferId> free_;
  std::vector<BufferId> gone_;
};
static_assert(FramePool<PacketPool>);

/// Models FramePort: where one robot's packets enter the path, and where those for it leave it.
class PacketPort {
 public:
  struct Reception {
    BufferId packet = 0;
    RobotIndex by{};
  };

  /// Both must outlive the port.
  PacketPort(RobotIndex robot, PacketPool& pool, std::vector<Reception>& received)
      : robot_(robot), pool_(&pool), received_(&received) {}

  void arrive(const Frame& frame) { arrived_.push_back(frame); }
  std::size_t capture(std::span<Frame> burst);
  bool release(const Frame& frame) {
    received_->push_back({frame.buffer, robot_});
    pool_->free(frame);
    return true;
  }
  void flush() {}

 private:
  RobotIndex robot_;
  PacketPool* pool_;
  std::vector<Reception>* received_;
  std::deque<Frame> arrived_;
};
static_assert(FramePort<PacketPort>);

}  // namespace hilgate

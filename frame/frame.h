// SPDX-License-Identifier: Apache-2.0
// A frame on its way through the gateway, and what the path asks of the memory and ports it lives in.
//
// Frames stay in the memory they arrived in. `Frame` is a small handle, copied freely; the bytes belong to a
// pool, which counts owners. All calls below are made by the one thread that owns the path; none of them
// allocates, locks, throws or makes a system call, but for FramePort::flush, which may kick rings.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/id.h"

namespace hilgate {

struct PortIndexTag;
/// A port in one configuration: its index in the configuration's list, from 0.
using PortIndex = Id<PortIndexTag>;

struct PortTag;
/// A port in the packet path: its slot, which it keeps over changes of the configuration. PortSlots has which port of
/// the configuration it is.
using PortSlot = Id<PortTag>;

/// Names a buffer within its pool: a UMEM address, or the address of an mbuf.
using BufferId = std::uint64_t;

struct Frame {
  BufferId buffer = 0;
  std::byte* data = nullptr;      // first byte of the Ethernet header
  HostTime arrived{};             // stamped as early as the port can
  std::uint32_t length = 0;       // bytes of the whole frame, without FCS
  std::uint32_t head_length = 0;  // bytes at `data`; less than `length` when the frame has several segments
};

/// Of a frame that is due at no instant.
inline constexpr HostTime kNoDue = HostTime::min();

/// What FramePool::note() has.
inline constexpr std::size_t kNoteBytes = 8;

/// Memory that frames live in.
template <class P>
concept FramePool = requires(P& pool, const Frame& frame, Frame& moved, std::uint32_t owners,
                             void (*each)(std::span<std::byte>)) {
  pool.share(frame, owners);                                   // adds owners to the one there is
  pool.free(frame);                                            // gives up one ownership
  { pool.is_shared(frame) } -> std::same_as<bool>;             // has other owners
  { pool.copy(frame) } -> std::same_as<std::optional<Frame>>;  // a private copy; empty when memory is short
  { pool.make(std::span<const std::byte>{}) } -> std::same_as<std::optional<Frame>>;  // of bytes that fit one buffer
  { pool.move_start(moved, 4) } -> std::same_as<bool>;  // it begins later by so many bytes, or earlier; false: no room
  pool.for_each_segment(frame, each);                   // the frame's bytes, in order
  { pool.note(frame) } -> std::same_as<std::byte*>;  // kNoteBytes of its memory next to its bytes; no copy() has them
  pool.fetch(frame);  // it leaves soon: has what its release touches come into the second cache
};

/// Where robots are plugged in.
template <class P>
concept FramePort = requires(P& port, std::span<Frame> burst, const Frame& frame) {
  { port.capture(burst) } -> std::same_as<std::size_t>;  // frames that arrived; the caller becomes their owner
  { port.release(frame) } -> std::same_as<bool>;         // takes over one ownership; false: full, nothing taken
  port.flush();  // ends an iteration: kick what was released, reap what was sent
};

/// One that measures when frames have left: it takes the instants at which they are due, too, or kNoDue.
template <class P>
concept TimedPort = FramePort<P> && requires(P& port, const Frame& frame, HostTime due) {
  { port.release(frame, due) } -> std::same_as<bool>;
};

/// One whose device sends frames at the instants at which they are due, so that it takes them before: launch_lead(),
/// 0 ns while the device keeps no instants. That changes in no call but capture() and flush().
template <class P>
concept LaunchPort = TimedPort<P> && requires(const P& port) {
  { port.launch_lead() } -> std::same_as<Nanoseconds>;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "frame/frame.h"
#include "frame/slab.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// One delivery waiting for its release.
struct HeldFrame {
  HostTime due{};
  std::uint64_t order = 0;  // arrival order; breaks ties of `due`
  BufferId buffer = 0;
  std::byte* data = nullptr;
  std::uint32_t length = 0;
  std::uint16_t head_length = 0;  // no frame that ports take has longer segments
  bool loose = false;             // may overtake, and be overtaken by, others of its link
  bool ptp = false;               // due at its arrival; the time since goes into its correction field at release
  NodeIndex damage = kNoNode;     // a DamageNote, when bits are to be flipped at release
  LinkSlot link{};

  static HeldFrame of(const Frame& frame, LinkSlot link, HostTime due) {
    return {due,   0,     frame.buffer, frame.data, frame.length, static_cast<std::uint16_t>(frame.head_length),
            false, false, kNoNode,      link};
  }
  /// Whether nothing is done to its bytes at its release.
  [[nodiscard]] bool is_plain() const { return damage == kNoNode && !ptp; }
  /// The frame again, for pool and port; its arrival is not kept.
  [[nodiscard]] Frame frame() const { return {buffer, data, {}, length, head_length}; }
};
static_assert(sizeof(HeldFrame) == 48);

/// One delivery whose fate is drawn, and whose release time is not known yet: it waits for a medium or for the rate of
/// its link. It is released `delay` after that: after the end of its transmission, or after its arrival where there was
/// nothing to wait for.
struct PendingDelivery {
  HostTime arrived{};
  Nanoseconds delay{0};
  BufferId buffer = 0;
  std::byte* data = nullptr;
  std::uint32_t length = 0;
  std::uint16_t head_length = 0;  // as in HeldFrame, like the rest
  bool loose = false;
  NodeIndex damage = kNoNode;
  LinkSlot link{};

  static PendingDelivery of(const Frame& frame, LinkSlot link) {
    return {frame.arrived, {},           frame.buffer,
            frame.data,    frame.length, static_cast<std::uint16_t>(frame.head_length),
            false,         kNoNode,      link};
  }
  /// For the hold: transmitted until `sent`.
  [[nodiscard]] HeldFrame held_from(HostTime sent) const {
    return {sent + delay, 0, buffer, data, length, head_length, loose, false, damage, link};
  }
  /// The frame again, for pool and fate, without its arrival.
  [[nodiscard]] Frame frame() const { return {buffer, data, {}, length, head_length}; }
};

}  // namespace hilgate

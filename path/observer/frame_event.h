// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/frame.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// An event of one frame in a packet loop, for a capture. The frame's first bytes follow it in the ring.
struct FrameEvent {
  enum class What : std::uint8_t {
    kSkip,      // nothing: the rest of the ring's memory
    kCaptured,  // came in by `port`
    kFate,      // what was drawn for it on `link`
    kReleased,  // left by the port of the link's receiver
    kDropped,   // did not, for `reason`
    kRefused,   // had no sender or no receiver, for `reason`
    kInjected,  // is the gateway's own, by `port`; with `lost` it was dropped for `reason`
  };
  /// The part of its way that a fate is for; see Hop (path/air_delivery.h).
  enum class Way : std::uint8_t { kWhole, kUp, kDown, kRelay };

  std::uint32_t size = 0;  // of the event with the bytes that follow
  What what = What::kSkip;
  DropReason reason{};
  Way way = Way::kWhole;
  bool lost = false;       // kInjected: dropped; kFate: the fate is to be lost
  bool copied = false;     // kFate: there will be a second delivery
  bool again = false;      // kFate: failing_tries come on top of an earlier one's; all else is that one's
  bool has_radio = false;  // kFate: snr_db means something
  PortSlot port{};
  LinkSlot link{};
  std::uint32_t length = 0;  // of the frame without FCS, bytes
  std::uint32_t kept = 0;    // of these, bytes after the event
  std::uint64_t packet = 0;  // the same in all events of one frame; 0: it came before the capture began
  HostTime at{};             // in path time
  HostTime due{};            // kReleased: when it was to leave; HostTime::min() where nothing was asked
  // kFate
  std::uint64_t window = 0;
  Nanoseconds delay{0};
  BitHazard hazard{};
  float snr_db = 0;
  std::uint32_t errors = 0;
  std::uint32_t failing_tries = 0;
  LinkSlot air{};  // kFate: that the frame is transmitted on; `link` but on a way over others

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(this + 1), kept};
  }
};
static_assert(sizeof(FrameEvent) % 8 == 0);

}  // namespace hilgate

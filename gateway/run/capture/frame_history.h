// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/run/capture/capture_names.h"
#include "path/observer/frame_event.h"

namespace hilgate {

/// Earlier events of frames that are still in flight. Bounded: when full, the oldest frames are forgotten.
class FrameHistory {
 public:
  FrameHistory() : arrivals_(kRoom), fates_(kRoom) {}

  struct Arrival {
    std::uint64_t packet = 0;  // 0: nothing
    HostTime at{};
    PortSlot port{};
  };
  /// Of all parts of a delivery's way together.
  struct Fates {
    std::uint64_t packet = 0;
    LinkSlot link{};
    std::uint32_t deliveries = 0;  // still to come: two with a copy
    std::uint64_t window = 0;      // of the first
    Nanoseconds delay{0};
    std::optional<float> snr_db{};  // of the worst
    BitHazard hazard{};             // likewise
    std::uint32_t errors = 0;
    std::uint32_t failing_tries = 0;
    bool over_others = false;      // access points, or stations of a mesh
    std::vector<LinkSlot> hops{};  // in a mesh: that it was received on
  };

  void note_arrival(const FrameEvent& event) { arrivals_[event.packet & kMask] = {event.packet, event.at, event.port}; }
  void note_fate(const FrameEvent& event);
  /// Null: not known.
  [[nodiscard]] const Arrival* arrival(std::uint64_t packet) const {
    const Arrival& found = arrivals_[packet & kMask];
    return packet != 0 && found.packet == packet ? &found : nullptr;
  }
  /// Of a delivery that has come to its end. Empty: not known.
  std::optional<Fates> take_fates(std::uint64_t packet, LinkSlot link);

 private:
  static constexpr std::size_t kRoom = std::size_t{1} << 18;
  static constexpr std::uint64_t kMask = kRoom - 1;

  // Frames of one link are numbered one after the other, and so are the links of one sender.
  static std::size_t place(std::uint64_t packet, LinkSlot link) { return (packet * 61 + link.value()) & kMask; }

  std::vector<Arrival> arrivals_;
  std::vector<Fates> fates_;
};

/// What earlier events add to an event.
struct FrameStory {
  const FrameHistory::Arrival* arrival = nullptr;  // null: not known
  std::optional<FrameHistory::Fates> fates{};
};

/// The comment of a packet in a capture: words KEY=VALUE with units in their names, as docs/how-to/captures.md lists
/// them.
std::string frame_text(const FrameEvent& event, const FrameStory& story, const CaptureNames& names);

/// Events that the rings had no room for, by what a file counts them at.
struct MissedFrames {
  std::vector<std::uint64_t> in;   // by PortSlot
  std::vector<std::uint64_t> out;  // by PortSlot
  std::uint64_t nobody = 0;
};

/// A consumer of frame events. Used by one thread, the reader's.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  FrameSink() = default;
  FrameSink(const FrameSink&) = delete;
  FrameSink& operator=(const FrameSink&) = delete;

  /// The first call. `utc`: how far UTC is ahead of the events' time.
  virtual void begin(std::shared_ptr<const CaptureNames> names, const MissedFrames& missed, Nanoseconds utc,
                     HostTime now) = 0;
  /// The names from now on.
  virtual void change(std::shared_ptr<const CaptureNames> names) = 0;
  /// Something happened to a frame.
  virtual void take(const FrameEvent& event, const FrameStory& story, const MissedFrames& missed) = 0;
  /// All events up to this instant of host time have been taken.
  virtual void caught_up(HostTime until) = 0;
  /// The last call of these, once.
  virtual void end(const MissedFrames& missed, HostTime now) = 0;

  /// It has reached its limit, or its reader has ended it.
  [[nodiscard]] virtual bool complete() = 0;
  /// Passes on what it can without waiting; false when nothing more can be, ever.
  virtual bool flush() = 0;
  /// Something is still to be passed on.
  [[nodiscard]] virtual bool pending() const = 0;
  /// Bytes of each frame that it needs.
  [[nodiscard]] virtual std::uint32_t snaplen() const = 0;
};

}  // namespace hilgate

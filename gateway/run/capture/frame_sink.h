// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "clock/time.h"
#include "gateway/run/capture/capture_names.h"
#include "gateway/run/capture/frame_history.h"

namespace hilgate {

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

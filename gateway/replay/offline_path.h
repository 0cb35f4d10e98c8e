// SPDX-License-Identifier: Apache-2.0
// The packet path of a gateway without ports, threads and clocks: frames are given with the instants of their arrival,
// and time goes from event to event. What becomes of them follows from the configuration, its seed, the link tables
// and the frames alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "clock/time.h"
#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/capture/capture_names.h"
#include "gateway/run/capture/capture_output.h"
#include "gateway/run/capture/capture_sink.h"
#include "gateway/run/capture/frame_history.h"
#include "gateway/run/planes/path_slots.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"
#include "path/observer/frame_event.h"
#include "path/verdicts/verdict_rings.h"

namespace hilgate {

class OfflinePath {
 public:
  /// Longer frames cannot be given to it, bytes.
  static constexpr std::uint32_t kLongestFrame = 65'535 + 18;
  /// Receives each event of a frame; the event is gone afterwards.
  using Listener = std::function<void(const FrameEvent&)>;

  /// `air`: the configuration's (configured_air()). `snaplen`: bytes of each frame that the listener gets.
  OfflinePath(const Configuration& configuration, const AirPlan& air, Listener listener, std::uint32_t snaplen);
  ~OfflinePath();
  OfflinePath(const OfflinePath&) = delete;
  OfflinePath& operator=(const OfflinePath&) = delete;

  [[nodiscard]] const RobotSlots& slots() const { return slots_; }
  /// The state of the air from the next event on; `table.begins` is when it began, in path time.
  void publish(const LinkTable& table);
  /// A frame of `length` bytes, whose first are given, comes in by a port, after all earlier events are processed;
  /// instants do not go backwards. Throws std::runtime_error for one that is longer than kLongestFrame.
  void arrive(PortIndex port, std::span<const std::byte> bytes, std::uint32_t length, HostTime at);
  /// Processes all events before `end`.
  void run_until(HostTime end);
  /// Until no frame is in flight, or until `end`.
  void settle(HostTime end);
  /// The instant of the next event; HostTime::max() for never.
  [[nodiscard]] HostTime next_due() const;
  [[nodiscard]] HostTime now() const;
  /// Orders for frames that wait for verdicts: carried out at once.
  void order(const ParkedOrder& order);

  [[nodiscard]] const PathTotals& totals() const;
  [[nodiscard]] LinkCounts counts(RobotIndex from, RobotIndex to) const;

 private:
  struct Parts;
  void iterate(OptionalIndex<PortSlot> arrived = {});

  RobotSlots slots_;
  Listener listener_;
  std::unique_ptr<Parts> parts_;
};

/// The capture of an OfflinePath: a file as `hilgate capture` makes them.
class OfflineCapture {
 public:
  /// `utc`: how far UTC is ahead of path time; `began`: path time of the start. Throws std::system_error when the file
  /// cannot be written.
  OfflineCapture(std::shared_ptr<const CaptureNames> names, const std::filesystem::path& file, Nanoseconds utc,
                 HostTime began);

  void take(const FrameEvent& event);
  /// Throws std::runtime_error when not all of it could be written.
  void end(HostTime now);

 private:
  MissedFrames missed_;  // none
  FrameHistory history_;
  std::shared_ptr<CaptureRecord::State> state_ = std::make_shared<CaptureRecord::State>();
  CaptureSink sink_;
};

}  // namespace hilgate

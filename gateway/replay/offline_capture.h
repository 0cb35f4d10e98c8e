// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "clock/time.h"
#include "gateway/run/capture/capture_names.h"
#include "gateway/run/capture/capture_output.h"
#include "gateway/run/capture/capture_sink.h"
#include "gateway/run/capture/frame_history.h"
#include "path/observer/frame_event.h"

namespace hilgate {

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

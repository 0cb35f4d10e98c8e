// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "gateway/run/capture/capture_names.h"
#include "gateway/run/capture/frame_history.h"

namespace hilgate {

/// What is known of an event beside itself.
struct FrameStory {
  const FrameHistory::Arrival* arrival = nullptr;  // null: not known
  std::optional<FrameHistory::Fates> fates{};
};

/// The comment of a packet in a capture: words KEY=VALUE with units in their names, as docs/captures.md lists them.
std::string frame_text(const FrameEvent& event, const FrameStory& story, const CaptureNames& names);

}  // namespace hilgate

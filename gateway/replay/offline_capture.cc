// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/offline_capture.h"

#include <stdexcept>
#include <utility>

namespace hilgate {

using What = FrameEvent::What;

OfflineCapture::OfflineCapture(std::shared_ptr<const CaptureNames> names, const std::filesystem::path& file,
                               Nanoseconds utc, HostTime began)
    : sink_({}, std::make_unique<CaptureRecord>(CaptureFilesConfig{.file = file}, state_)) {
  missed_.in.resize(names->ports.size());
  missed_.out.resize(names->ports.size());
  sink_.begin(std::move(names), missed_, utc, began);
}

void OfflineCapture::take(const FrameEvent& event) {
  if (event.what == What::kFate) {
    return history_.note_fate(event);
  }
  if (event.what == What::kCaptured) {
    history_.note_arrival(event);
  }
  FrameStory story{.arrival = history_.arrival(event.packet)};
  if (event.what == What::kReleased || event.what == What::kDropped) {
    story.fates = history_.take_fates(event.packet, event.link);
  }
  sink_.take(event, story, missed_);
}

void OfflineCapture::end(HostTime now) {
  sink_.end(missed_, now);
  sink_.flush();
  const std::scoped_lock lock(state_->mutex);
  if (!state_->problem.empty()) {
    throw std::runtime_error(state_->problem);
  }
}

}  // namespace hilgate

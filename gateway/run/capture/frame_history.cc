// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/frame_history.h"

#include <algorithm>

namespace hilgate {

void FrameHistory::note_fate(const FrameEvent& event) {
  if (event.packet == 0) {
    return;
  }
  Fates& fates = fates_[place(event.packet, event.link)];
  if (fates.packet != event.packet || fates.link != event.link) {
    fates = {.packet = event.packet, .link = event.link, .deliveries = 1, .window = event.window};
  }
  fates.deliveries += event.copied ? 1 : 0;
  fates.delay += event.delay;
  fates.errors += event.errors;
  fates.failing_tries += event.failing_tries;
  // With access points, the state between two robots says how they hear one another, not what their frames meet.
  if (event.way != FrameEvent::Way::kWhole) {
    fates.over_access_point = true;
  } else if (fates.over_access_point) {
    return;
  }
  fates.hazard.per_bit = std::max(fates.hazard.per_bit, event.hazard.per_bit);
  if (event.has_radio) {
    fates.snr_db = std::min(fates.snr_db.value_or(event.snr_db), event.snr_db);
  }
}

std::optional<FrameHistory::Fates> FrameHistory::take_fates(std::uint64_t packet, LinkId link) {
  Fates& fates = fates_[place(packet, link)];
  if (packet == 0 || fates.packet != packet || fates.link != link) {
    return std::nullopt;
  }
  const Fates found = fates;
  if (--fates.deliveries == 0) {
    fates = {};
  }
  return found;
}

}  // namespace hilgate

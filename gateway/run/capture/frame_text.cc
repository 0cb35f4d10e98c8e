// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/frame_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace hilgate {
namespace {

using What = FrameEvent::What;

void add_fates(const FrameHistory::Fates& fates, bool delivered, fmt::memory_buffer& text) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, " window={}", fates.window);
  if (fates.snr_db) {
    fmt::format_to(out, " snr_db={:.1f}", *fates.snr_db);
  }
  fmt::format_to(out, " ber={:.3g} bits={}", -std::expm1(-fates.hazard.per_bit), fates.errors);
  if (const std::uint32_t tries = fates.failing_tries + (delivered ? 1 : 0); tries > 0) {
    fmt::format_to(out, " tries={}", tries);
  }
}

}  // namespace

std::string frame_text(const FrameEvent& event, const FrameStory& story, const CaptureNames& names) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  switch (event.what) {
    case What::kReleased:
    case What::kDropped:
      fmt::format_to(out, "{}>{}", names[names.sender(event.link)].name, names[names.receiver(event.link)].name);
      break;
    case What::kInjected:
      fmt::format_to(out, "from=gateway");
      break;
    default:
      break;
  }
  if (event.what == What::kDropped || event.what == What::kRefused || event.lost) {
    fmt::format_to(out, "{}drop={}", text.size() > 0 ? " " : "", name(event.reason));
  }
  if (story.fates) {
    add_fates(*story.fates, event.what == What::kReleased, text);
  }
  if (story.arrival != nullptr && event.what == What::kReleased) {
    if (event.due != HostTime::min()) {
      fmt::format_to(out, " asked_us={:.3f}", microseconds_of(event.due - story.arrival->at));
    }
    fmt::format_to(out, " given_us={:.3f}", microseconds_of(event.at - story.arrival->at));
  } else if (story.arrival != nullptr && event.what == What::kDropped) {
    fmt::format_to(out, " after_us={:.3f}", microseconds_of(event.at - story.arrival->at));
  }
  return fmt::to_string(text);
}

}  // namespace hilgate

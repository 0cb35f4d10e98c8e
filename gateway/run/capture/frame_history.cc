// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/frame_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace hilgate {

void FrameHistory::note_fate(const FrameEvent& event) {
  if (event.packet == 0) {
    return;
  }
  Fates& fates = fates_[place(event.packet, event.link)];
  if (event.again) {
    const bool known = fates.packet == event.packet && fates.link == event.link;
    fates.failing_tries += known ? event.failing_tries : 0;
    return;
  }
  if (fates.packet != event.packet || fates.link != event.link) {
    fates = {.packet = event.packet, .link = event.link, .deliveries = 1, .window = event.window};
  }
  fates.deliveries += event.copied ? 1 : 0;
  fates.delay += event.delay;
  fates.errors += event.errors;
  fates.failing_tries += event.failing_tries;
  // With access points, the link state between two robots describes direct reception, which their frames do not use.
  if (event.way != FrameEvent::Way::kWhole) {
    fates.over_others = true;
  } else if (fates.over_others) {
    return;
  }
  if (event.way == FrameEvent::Way::kRelay && !event.lost) {
    fates.hops.push_back(event.air);
  }
  fates.hazard.per_bit = std::max(fates.hazard.per_bit, event.hazard.per_bit);
  if (event.has_radio) {
    fates.snr_db = std::min(fates.snr_db.value_or(event.snr_db), event.snr_db);
  }
}

std::optional<FrameHistory::Fates> FrameHistory::take_fates(std::uint64_t packet, LinkSlot link) {
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

namespace {

using What = FrameEvent::What;

// The stations that forwarded it: of a flooded frame the one that its receiver had it from.
void add_relays(const FrameHistory::Fates& fates, const CaptureNames& names, LinkSlot link, fmt::memory_buffer& text) {
  const RobotSlot sender = names.sender(link);
  const char* separator = " via=";
  for (const LinkSlot hop : fates.hops) {
    if (const RobotSlot from = names.sender(hop); from != sender) {
      fmt::format_to(std::back_inserter(text), "{}{}", separator, names[from].name);
      separator = ",";
    }
  }
}

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
    add_relays(*story.fates, names, event.link, text);
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

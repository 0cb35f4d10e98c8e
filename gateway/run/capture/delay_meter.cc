// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/delay_meter.h"

#include <utility>

#include "config/radio_name.h"

namespace hilgate {

void DelayMeter::begin(std::size_t item, LinkChoice links, HostTime path) {
  const std::scoped_lock lock(mutex_);
  measurements_[item] = {.links = std::move(links), .from = path};
}

std::optional<DelayMeter::Found> DelayMeter::end(std::size_t item, double share, HostTime path, HostTime host) {
  const std::scoped_lock lock(mutex_);
  const auto found = measurements_.find(item);
  if (found == measurements_.end()) {
    return Found{};
  }
  Measurement& measurement = found->second;
  if (!measurement.asked) {
    measurement.asked = host;
    measurement.until = path;
  }
  if (caught_up_ < *measurement.asked) {
    return std::nullopt;
  }
  const Found result{measurement.delays.total(), measurement.delays.quantile(share)};
  measurements_.erase(found);
  return result;
}

void DelayMeter::note(const std::string& from, const std::string& to, HostTime released, Nanoseconds delay) {
  const std::scoped_lock lock(mutex_);
  for (auto& [item, measurement] : measurements_) {
    const LinkChoice& links = measurement.links;
    if (released >= measurement.from && released < measurement.until && stands_for(links.from.value_or(from), from) &&
        stands_for(links.to.value_or(to), to)) {
      measurement.delays.add(delay);
    }
  }
}

void DelayMeter::caught_up(HostTime until) {
  const std::scoped_lock lock(mutex_);
  caught_up_ = until;
}

DelaySink::DelaySink(std::shared_ptr<DelayMeter> meter) : meter_(std::move(meter)) {}

void DelaySink::begin(std::shared_ptr<const CaptureNames> names, const MissedFrames&, Nanoseconds, HostTime) {
  names_ = std::move(names);
}

void DelaySink::change(std::shared_ptr<const CaptureNames> names) {
  names_ = std::move(names);
}

void DelaySink::take(const FrameEvent& event, const FrameStory& story, const MissedFrames&) {
  if (event.what == FrameEvent::What::kReleased && story.arrival != nullptr) {
    meter_->note((*names_)[names_->sender(event.link)].name, (*names_)[names_->receiver(event.link)].name, event.at,
                 event.at - story.arrival->at);
  }
}

}  // namespace hilgate

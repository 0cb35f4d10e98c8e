// SPDX-License-Identifier: Apache-2.0
#include "clock/reference/reference_source.h"

#include "clock/host_now.h"

namespace hilgate {

PreferredSource::PreferredSource(std::vector<std::unique_ptr<ReferenceSource>> sources, Nanoseconds patience)
    : patience_(patience) {
  for (auto& source : sources) {
    members_.push_back({std::move(source), std::nullopt});
  }
}

std::string PreferredSource::describe() const {
  std::string text = members_[followed_].source->describe();
  return text + ", preferred of " + std::to_string(members_.size());
}

ReferenceReading PreferredSource::read() {
  const HostTime now = host_now();
  std::vector<ReferenceReading> readings;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    readings.push_back(members_[i].source->read());
    if (readings[i].sample) {
      members_[i].last_sample = now;
    }
    const bool alive = members_[i].last_sample && now - *members_[i].last_sample < patience_;
    best = !best && alive ? i : best;
  }
  followed_ = best.value_or(followed_);
  return std::move(readings[followed_]);
}

}  // namespace hilgate

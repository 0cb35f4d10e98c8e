// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/air_meter.h"

#include <algorithm>
#include <utility>

namespace hilgate {

void AirMeter::sample(HostTime at, std::vector<AirUse> uses) {
  samples_[count_++ % kSamples] = {at, std::move(uses)};
}

double AirMeter::last(std::size_t domain) const {
  if (count_ < 2) {
    return 0;
  }
  const Sample& first = samples_[count_ > kSamples ? count_ % kSamples : 0];
  const Sample& now = newest();
  if (domain >= std::min(first.uses.size(), now.uses.size()) || now.at <= first.at) {
    return 0;
  }
  return static_cast<double>((now.uses[domain].busy - first.uses[domain].busy).count()) /
         static_cast<double>((now.at - first.at).count());
}

AirUse AirMeter::total(std::size_t domain) const {
  return count_ > 0 && domain < newest().uses.size() ? newest().uses[domain] : AirUse{};
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/cqi_levels.h"

#include <algorithm>
#include <vector>

#include "rf_profiles/errors/lte.h"

namespace hilgate {
namespace {

struct PickedMode {
  double efficiency = 0;  // bit/s/Hz
  Decibels least;
};

// In the order of their efficiency; at least one.
std::vector<PickedMode> picked_modes(const RadioProfile& profile, const RateTable& rates) {
  std::vector<PickedMode> picked;
  for (const std::size_t index : profile.mac.rate_control.modes) {
    const RadioMode& mode = profile.phy.modes[index];
    if (const auto least = rates.least_snr_of(index)) {
      picked.push_back({mode.efficiency.value_or(mode.phy.rate_bps / profile.phy.bandwidth.value),
                        std::max(*least, rates.least_usable_snr())});
    }
  }
  std::ranges::sort(picked, {}, &PickedMode::efficiency);
  return picked;
}

}  // namespace

std::array<Decibels, 16> cqi_levels(const RadioProfile& profile, const RateTable& rates) {
  constexpr double kRounding = 1e-9;
  const std::vector<PickedMode> picked = picked_modes(profile, rates);
  std::array<Decibels, 16> levels{};
  levels[0] = kNoSignal;
  for (std::size_t cqi = 1; cqi < levels.size(); ++cqi) {
    const double efficiency = lte_cqi_efficiency(static_cast<int>(cqi)) + kRounding;
    const auto above = std::ranges::upper_bound(picked, efficiency, {}, &PickedMode::efficiency);
    levels[cqi] = (above == picked.begin() ? above : above - 1)->least;
  }
  return levels;
}

}  // namespace hilgate

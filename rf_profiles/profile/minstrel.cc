// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/minstrel.h"

#include <algorithm>
#include <cmath>

#include "rf_profiles/numeric/normal.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kSalt = 0x6d'69'6e'73'74'72'65'6c;  // "minstrel"
constexpr double kNewWeight = 0.25;
constexpr double kLeastShare = 0.1;
constexpr unsigned kTries = 45;
constexpr unsigned kLooks = 5;
constexpr double kLookShare = 0.1;

}  // namespace

Minstrel::Minstrel(const RadioProfile& profile, std::size_t links, std::uint64_t seed)
    : links_(links), seed_(seed ^ kSalt) {
  const RateControl& control = profile.mac.rate_control;
  for (const std::size_t mode : control.modes) {
    const PhyMode& phy = profile.phy.modes[mode].phy;
    modes_.push_back(static_cast<std::uint8_t>(mode));
    try_s_.push_back(try_time_s(phy, profile.mac, control.frame_bytes, profile.mac.cw_min));
    next_try_s_.push_back(
        try_time_s(phy, profile.mac, control.frame_bytes, std::min(2 * profile.mac.cw_min + 1, profile.mac.cw_max)));
    bits_.push_back(static_cast<double>(phy.error_bits(control.frame_bytes)));
  }
  shares_.resize(links * modes_.size(), kUnknown);
}

std::uint8_t Minstrel::mode(std::size_t link, std::uint64_t intervals, Decibels snr, const RateTable& rates) {
  Link& state = links_[link];
  if (intervals > state.intervals + kMemory) {
    state.intervals = intervals - kMemory;
  }
  for (; state.intervals < intervals; ++state.intervals) {
    end_interval(link, state.intervals, snr, rates);
  }
  return modes_[state.at];
}

void Minstrel::learn(float& share, double seen) const {
  const auto known = static_cast<double>(share);
  share = static_cast<float>(share == kUnknown ? seen : known + kNewWeight * (seen - known));
}

void Minstrel::end_interval(std::size_t link, std::uint64_t interval, Decibels snr, const RateTable& rates) {
  Link& state = links_[link];
  float* const shares = shares_.data() + link * modes_.size();
  FrameRandom random(seed_, static_cast<std::uint32_t>(link), interval);
  const auto success = [&](std::size_t at) { return std::exp(-rates.hazard_in(modes_[at], snr) * bits_[at]); };
  const double p = success(state.at);
  learn(shares[state.at], std::clamp(p + std::sqrt(p * (1 - p) / kTries) * draw_normal(random), 0.0, 1.0));
  for (unsigned look = 0; look < kLooks && modes_.size() > 1; ++look) {
    const std::size_t at = (state.at + 1 + random.below(modes_.size() - 1)) % modes_.size();
    learn(shares[at], random.uniform() <= success(at) ? 1 : 0);
  }
  double most = 0;
  std::size_t best = 0;  // the first, most robust one, when nothing gets through
  for (std::size_t at = 0; at < modes_.size(); ++at) {
    const auto share = static_cast<double>(shares[at]);
    const double per_second = share < kLeastShare ? 0 : share / try_s_[at];
    if (per_second > most) {
      most = per_second;
      best = at;
    }
  }
  state.at = best;
  state.probing_ns = static_cast<float>(1e9 * mean_probing_s(best, success));
}

// Two tries in a faster mode; one that succeeds saves the frame in the mode at hand.
template <class Success>
double Minstrel::mean_probing_s(std::size_t at, const Success& success) const {
  double sum = 0;
  for (std::size_t other = 0; other < modes_.size(); ++other) {
    if (try_s_[other] < try_s_[at]) {
      const double lost = 1 - success(other);
      sum += try_s_[other] + lost * next_try_s_[other] - (1 - lost * lost) * try_s_[at];
    }
  }
  return modes_.size() > 1 ? std::max(0.0, kLookShare * sum / static_cast<double>(modes_.size() - 1)) : 0;
}

}  // namespace hilgate

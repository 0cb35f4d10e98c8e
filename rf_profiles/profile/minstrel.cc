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
constexpr std::uint32_t kComparedFrame = 1200;
constexpr double kSureShare = 0.95;
constexpr double kLimitedLooks = 4;  // per interval
constexpr std::size_t kLimitedTries = 2;
constexpr double kLongestLook = 6e-3;  // s

double seconds_of(Nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Minstrel::Minstrel(const RadioProfile& profile, std::size_t links, std::uint64_t seed)
    : links_(links), seed_(seed ^ kSalt) {
  const RadioMac& mac = profile.mac;
  double window = mac.cw_min;
  for (std::uint32_t i = 0; i < mac.tries; ++i) {
    backoff_s_.push_back(window / 2 * seconds_of(mac.slot));
    window = std::min(2 * window + 1, static_cast<double>(mac.cw_max));
  }
  for (const std::size_t mode : mac.rate_control.modes) {
    const PhyMode& phy = profile.phy.modes[mode].phy;
    modes_.push_back(static_cast<std::uint8_t>(mode));
    frame_s_.push_back(seconds_of(phy.air_time(kComparedFrame)));
    try_s_.push_back(try_time_s(phy, mac, mac.rate_control.frame_bytes, 0));
    bits_.push_back(static_cast<double>(phy.error_bits(mac.rate_control.frame_bytes)));
    std::size_t tries = 0;
    for (double sum = 0; tries < backoff_s_.size() && sum + try_s_.back() + backoff_s_[tries] < kLongestLook; ++tries) {
      sum += try_s_.back() + backoff_s_[tries];
    }
    looks_.push_back(std::max(tries, std::min(kLimitedTries, backoff_s_.size())));
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
    const double per_second = share < kLeastShare ? 0 : share / frame_s_[at];
    if (per_second > most) {
      most = per_second;
      best = at;
    }
  }
  state.at = best;
  state.probing_ns = static_cast<float>(1e9 * mean_probing_s(best, success));
}

// Modes that are looked at without limit share what the limited ones leave.
template <class Success>
double Minstrel::mean_probing_s(std::size_t at, const Success& success) const {
  const auto is_candidate = [&](std::size_t mode) { return try_s_[mode] <= try_s_[at]; };
  const auto is_limited = [](double p) { return p < kLeastShare || p > kSureShare; };
  std::size_t candidates = 0;
  std::size_t limited = 0;
  for (std::size_t mode = 0; mode < modes_.size(); ++mode) {
    candidates += is_candidate(mode) ? 1 : 0;
    limited += is_candidate(mode) && is_limited(success(mode)) ? 1 : 0;
  }
  const double frames = seconds_of(kInterval) / (try_s_[at] + backoff_s_.front());
  const double each = std::min(kLookShare / static_cast<double>(candidates), kLimitedLooks / frames);
  const double rest = kLookShare - each * static_cast<double>(limited);
  double sum = 0;
  for (std::size_t mode = 0; mode < modes_.size(); ++mode) {
    if (mode != at && is_candidate(mode)) {
      const double p = success(mode);
      sum += is_limited(p) ? each * look_s(mode, at, p, std::min(kLimitedTries, looks_[mode]))
                           : rest / static_cast<double>(candidates - limited) * look_s(mode, at, p, looks_[mode]);
    }
  }
  return std::max(0.0, sum);
}

// A look in another mode, besides the frame's first try in the mode at hand. One that succeeds saves that.
double Minstrel::look_s(std::size_t other, std::size_t at, double success, std::size_t tries) const {
  double sum = 0;
  double reach = 1;
  for (std::size_t i = 0; i < tries; ++i) {
    sum += reach * (try_s_[other] + backoff_s_[i]);
    reach *= 1 - success;
  }
  const double then = backoff_s_[std::min(tries, backoff_s_.size() - 1)];
  return sum + reach * (then - backoff_s_.front()) - (1 - reach) * (try_s_[at] + backoff_s_.front());
}

}  // namespace hilgate

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
constexpr double kSlowerLooks = 5;  // per interval, shared by all modes
constexpr double kLookShare = 0.1;
constexpr std::uint32_t kComparedFrame = 1200;
constexpr double kSureShare = 0.95;
constexpr double kLimitedLooks = 4;  // per interval
constexpr std::size_t kLimitedTries = 2;
constexpr double kLongestLook = 6e-3;  // s

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

std::uint8_t Minstrel::mode(std::size_t link, std::uint64_t intervals, const ModeSnrs& snrs, const RateTable& rates) {
  Link& state = links_[link];
  if (intervals > state.intervals + kMemory) {
    state.intervals = intervals - kMemory;
  }
  for (; state.intervals < intervals; ++state.intervals) {
    end_interval(link, state.intervals, snrs, rates);
  }
  return modes_[state.at];
}

void Minstrel::learn(float& share, double seen) const {
  const auto known = static_cast<double>(share);
  share = static_cast<float>(share == kUnknown ? seen : known + kNewWeight * (seen - known));
}

void Minstrel::end_interval(std::size_t link, std::uint64_t interval, const ModeSnrs& snrs, const RateTable& rates) {
  Link& state = links_[link];
  float* const shares = shares_.data() + link * modes_.size();
  FrameRandom random(seed_, static_cast<std::uint32_t>(link), interval);
  const auto success = [&](std::size_t at) {
    return std::exp(-rates.hazard_in(modes_[at], snrs.of(modes_[at])) * bits_[at]);
  };
  const Looks looks = looks_at(state.at, shares);
  const double p = success(state.at);
  learn(shares[state.at], std::clamp(p + std::sqrt(p * (1 - p) / kTries) * draw_normal(random), 0.0, 1.0));
  for (std::size_t mode = 0; mode < modes_.size(); ++mode) {
    const double mean = mode == state.at ? 0
                        : is_candidate(mode, state.at)
                            ? looks.of(shares[mode]) * mean_tries(success(mode), tries_of(mode, shares[mode]))
                            : kSlowerLooks / static_cast<double>(modes_.size() - 1);
    const auto tries = static_cast<unsigned>(mean + random.uniform());
    unsigned successes = 0;
    for (unsigned one = 0; one < tries; ++one) {
      successes += random.uniform() <= success(mode) ? 1 : 0;
    }
    if (tries > 0) {
      learn(shares[mode], static_cast<double>(successes) / tries);
    }
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
  state.probing_ns = static_cast<float>(1e9 * mean_probing_s(best, shares, success));
}

bool Minstrel::is_limited(float share) {
  return share < kLeastShare || share > kSureShare;  // an unknown one is below
}

std::size_t Minstrel::tries_of(std::size_t mode, float share) const {
  return is_limited(share) ? std::min(kLimitedTries, looks_[mode]) : looks_[mode];
}

// Of at most `most` tries, each a success with probability `p`, until one is.
double Minstrel::mean_tries(double p, std::size_t most) {
  double sum = 0;
  double reach = 1;
  for (std::size_t i = 0; i < most; ++i) {
    sum += reach;
    reach *= 1 - p;
  }
  return sum;
}

// Modes that are looked at without limit share what the limited ones leave.
Minstrel::Looks Minstrel::looks_at(std::size_t at, const float* shares) const {
  std::size_t candidates = 0;
  std::size_t limited = 0;
  for (std::size_t mode = 0; mode < modes_.size(); ++mode) {
    candidates += is_candidate(mode, at) ? 1 : 0;
    limited += is_candidate(mode, at) && is_limited(shares[mode]) ? 1 : 0;
  }
  const double frames = seconds_of(kInterval) / (try_s_[at] + backoff_s_.front());
  const double each = std::min(kLookShare * frames / static_cast<double>(candidates), kLimitedLooks);
  const double rest = kLookShare * frames - each * static_cast<double>(limited);
  return {.frames = frames,
          .limited = each,
          .unlimited = limited < candidates ? rest / static_cast<double>(candidates - limited) : 0};
}

template <class Success>
double Minstrel::mean_probing_s(std::size_t at, const float* shares, const Success& success) const {
  const Looks looks = looks_at(at, shares);
  double sum = 0;
  for (std::size_t mode = 0; mode < modes_.size(); ++mode) {
    if (mode != at && is_candidate(mode, at)) {
      sum += looks.of(shares[mode]) / looks.frames * look_s(mode, at, success(mode), tries_of(mode, shares[mode]));
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

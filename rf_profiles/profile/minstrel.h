// SPDX-License-Identifier: Apache-2.0
// Rate control that learns, after Minstrel of Linux's mac80211: a moving average of each mode's share of successful
// tries, brought up to date every 100 ms with a weight of 25 % for the new interval; the mode with the most successes
// per time of a frame of 1200 bytes is taken, modes below 10 % count as nothing; a tenth of the tries looks around
// among the others. As in Linux and in ns-3's MinstrelWifiManager that time is the frame's alone, without backoff and
// acknowledgement: a faster mode that loses a fifth of its frames may be taken, although the one below it gets more
// through.
//
// A link is taken to be busy: 45 tries in the mode at hand and those of its looks in others per interval, whose
// outcomes are drawn from the link's errors at the end of the interval (the 45 by their normal approximation). So it
// follows the air some intervals late, and errs, as the real one does; what it does not have is Minstrel's chain of
// further rates for repeats.
//
// Looking around costs time on the air: a tenth of the frames goes first in a mode that is not slower than the one at
// hand, each of them alike. A mode in which by the average less than 10 % or more than 95 % succeed is looked at four
// times per interval at most, with two tries; another one with as many as take 6 ms. What has failed so goes in the
// mode at hand, with the contention window grown. A slower mode waits until the one at hand has failed, and costs
// nothing here. Each frame bears the mean of it.
#pragma once

#include <cstdint>
#include <vector>

#include "rf_profiles/profile/rate_table.h"

namespace hilgate {

class Minstrel {
 public:
  static constexpr Nanoseconds kInterval{100'000'000};
  static std::uint64_t intervals_at(SimTime at) {
    return static_cast<std::uint64_t>(at.time_since_epoch() / kInterval);
  }

  /// For senders with `profile`, each link with a number below `links`.
  Minstrel(const RadioProfile& profile, std::size_t links, std::uint64_t seed);

  /// The link's mode, an index into RadioPhy::modes, when `intervals` have ended since the start and its SNRs are
  /// these. `intervals` must not fall; of many that have ended at once, the last kMemory are gone through.
  std::uint8_t mode(std::size_t link, std::uint64_t intervals, const ModeSnrs& snrs, const RateTable& rates);

  /// Mean time on the air that a frame of the link bears for looking around, as of the last mode().
  [[nodiscard]] float probing_ns(std::size_t link) const { return links_[link].probing_ns; }

 private:
  static constexpr std::uint64_t kMemory = 20;  // 0.75^20 is 0.3 %
  static constexpr float kUnknown = -1;
  struct Link {
    std::uint64_t intervals = 0;
    std::size_t at = 0;  // place in modes_
    float probing_ns = 0;
  };
  void end_interval(std::size_t link, std::uint64_t interval, const ModeSnrs& snrs, const RateTable& rates);
  void learn(float& share, double seen) const;
  /// Per interval; `frames` of all modes.
  struct Looks {
    double frames = 0, limited = 0, unlimited = 0;  // looks of one mode
    [[nodiscard]] double of(float share) const { return is_limited(share) ? limited : unlimited; }
  };
  static bool is_limited(float share);
  static double mean_tries(double p, std::size_t most);
  [[nodiscard]] bool is_candidate(std::size_t mode, std::size_t at) const { return try_s_[mode] <= try_s_[at]; }
  [[nodiscard]] std::size_t tries_of(std::size_t mode, float share) const;
  [[nodiscard]] Looks looks_at(std::size_t at, const float* shares) const;
  template <class Success>
  [[nodiscard]] double mean_probing_s(std::size_t at, const float* shares, const Success& success) const;
  [[nodiscard]] double look_s(std::size_t other, std::size_t at, double success, std::size_t tries) const;

  std::vector<std::uint8_t> modes_;
  std::vector<double> frame_s_;     // time by which modes are compared, by place in modes_
  std::vector<double> try_s_;       // time of one try without backoff
  std::vector<double> backoff_s_;   // mean, of the first try and those that follow
  std::vector<std::size_t> looks_;  // tries of a look that is not limited
  std::vector<double> bits_;        // of a frame
  std::vector<Link> links_;
  std::vector<float> shares_;  // by link, then by index in modes_
  std::uint64_t seed_;
};

}  // namespace hilgate

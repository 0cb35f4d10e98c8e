// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "config/range.h"
#include "netsim_link/impairments/impaired_frame.h"
#include "rf_profiles/numeric/normal.h"
#include "rf_profiles/numeric/random.h"

// Distributions of an additional delay, each as its quantile function: the share `u` in (0, 1] of frames is delayed by
// quantile(u) or less. A frame takes one uniform draw, however the draws are correlated
// (netsim_link/impairments/delay_models.h).

namespace hilgate {

/// No delay of these is longer.
inline constexpr Nanoseconds kLongestDelay = std::chrono::hours{1};
inline constexpr Range<Nanoseconds> kDelayRange{Nanoseconds{0}, kLongestDelay, "0s to 1h"};

/// A delay in nanoseconds as a duration: never negative, never longer than kLongestDelay.
inline Nanoseconds delay_of(double ns) {
  return Nanoseconds{std::llround(std::clamp(ns, 0.0, static_cast<double>(kLongestDelay.count())))};
}

/// Every delay between the ends is equally likely. Does nothing when both are 0.
struct UniformDelay {
  Nanoseconds least{0};
  Nanoseconds most{0};  // not below `least`
  [[nodiscard]] Nanoseconds quantile(double u) const {
    return delay_of(static_cast<double>(least.count()) + u * static_cast<double>((most - least).count()));
  }
  [[nodiscard]] Nanoseconds mean_delay() const { return quantile(0.5); }
};

/// The bell curve, as in the netem qdisc; what would be negative is 0, which raises the mean when the deviation is not
/// small against it. Does nothing when both are 0.
struct NormalDelay {
  Nanoseconds mean{0};
  Nanoseconds deviation{0};
  [[nodiscard]] Nanoseconds quantile(double u) const {
    return deviation.count() == 0 ? mean
                                  : delay_of(static_cast<double>(mean.count()) +
                                             normal_quantile(u) * static_cast<double>(deviation.count()));
  }
  /// Below 0 the bell curve is 0: m P(z > -m/s) + s p(m/s).
  [[nodiscard]] Nanoseconds mean_delay() const;
};

/// Pareto's law of the first kind: P(delay > x) = (least / x)^shape for x >= least. Heavy tails, as of loaded networks:
/// the mean is least shape / (shape - 1) and exists for shapes above 1, the variance for shapes above 2. Does nothing
/// when `least` is 0.
struct ParetoDelay {
  Nanoseconds least{0};
  double shape = 3;  // above 0
  [[nodiscard]] Nanoseconds quantile(double u) const {
    // By 1 - u, which is as uniform as u but may be 0: then the delay is the longest there is.
    return least.count() == 0 ? least : delay_of(static_cast<double>(least.count()) * std::pow(1 - u, -1 / shape));
  }
  /// Of what is not beyond the longest delay there is, x: the integral of P(delay > t) up to x.
  [[nodiscard]] Nanoseconds mean_delay() const;
};

/// A measured distribution: its quantiles at equal steps from 0 to 1, straight lines between them. netem's tables of
/// distributions are read the same way. Does nothing when all are 0.
struct TableDelay {
  std::vector<Nanoseconds> quantiles;  // at least two, not falling
  [[nodiscard]] Nanoseconds quantile(double u) const {
    const double at = u * static_cast<double>(quantiles.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), quantiles.size() - 2);
    const auto from = static_cast<double>(quantiles[below].count());
    const auto to = static_cast<double>(quantiles[below + 1].count());
    return delay_of(from + (at - static_cast<double>(below)) * (to - from));
  }
  [[nodiscard]] Nanoseconds mean_delay() const;
};

using DelayDistribution = std::variant<UniformDelay, NormalDelay, ParetoDelay, TableDelay>;

}  // namespace hilgate

// Delays that vary from frame to frame, and their effect on the order of frames.

namespace hilgate {

enum class JitterMode : std::uint8_t {
  kFifo,         // independent draws without reordering: raises the mean delay
  kIndependent,  // independent draws, frames overtake one another
  kCorrelated,   // neighbours in time get similar delays, so that few overtake, and the distribution stays as asked for
};

/// What a link remembers of its jitter.
struct JitterState {
  double z = 0;  // the process, standard normal
  HostTime at{};
  bool begun = false;
};

/// A delay drawn for every frame, on top of what is constant.
///
/// Correlated delays follow a Gaussian process with correlation 2^(-dt / half_life) between frames dt apart in time (an
/// exponential average of normal draws with that half-life, as in DPDS, arXiv 2606.17716), mapped through the
/// distribution's quantiles: every frame's delay on its own has exactly the distribution. It has no key of its own: it
/// comes with the constant part of `delay`.
struct Jitter {
  using State = JitterState;

  DelayDistribution distribution;
  JitterMode mode = JitterMode::kFifo;
  Nanoseconds half_life{0};  // with kCorrelated: above 0

  [[nodiscard]] static bool timed_by_host() { return true; }
  void retime(const ImpairedFrame& frame, State& state, FrameRandom& random, ImpairedTiming& timing) const;
  [[nodiscard]] Nanoseconds mean_delay() const;
  [[nodiscard]] Nanoseconds memory_delay() const;
};

/// The delay of a frame that arrived at `arrived`. Uses one draw.
Nanoseconds draw_delay(const Jitter& jitter, HostTime arrived, JitterState& state, FrameRandom& random);

/// Of all frames, where so many of them are delayed.
inline Nanoseconds mean_of_share(double share, Nanoseconds delay) {
  return Nanoseconds{std::llround(share * static_cast<double>(delay.count()))};
}

class YamlReader;

/// Holds single frames back, so that later ones overtake them (the hold-back of hardware emulators; VPP's nsim does
/// the same with a second wheel). Frames that are not chosen keep their order. Does nothing at probability 0 or time 0.
struct Reordering {
  static constexpr std::string_view kKey = "reorder";
  struct State {};

  double probability = 0;  // [0, 1]
  Nanoseconds by{0};       // how much later a chosen frame leaves

  static std::optional<Reordering> read(YamlReader& link);
  [[nodiscard]] static bool timed_by_host() { return true; }
  void retime(const ImpairedFrame& /*frame*/, State& /*state*/, FrameRandom& random, ImpairedTiming& timing) const {
    if (probability > 0 && by.count() > 0 && random.uniform() <= probability) {
      timing.delay += by;
      timing.loose = true;
    }
  }
  [[nodiscard]] Nanoseconds memory_delay() const { return mean_of_share(probability, by); }
};

/// Delivers single frames twice, as a lost acknowledgement makes a radio do. Both have the same bits, damage included;
/// the second follows `after` the first. A frame that is lost is not doubled. Does nothing at probability 0.
struct Duplication {
  static constexpr std::string_view kKey = "duplicate";
  struct State {};

  double probability = 0;  // [0, 1]
  Nanoseconds after{0};

  static std::optional<Duplication> read(YamlReader& link);
  [[nodiscard]] bool timed_by_host() const { return after > Nanoseconds{0}; }
  void retime(const ImpairedFrame& /*frame*/, State& /*state*/, FrameRandom& random, ImpairedTiming& timing) const {
    if (probability > 0 && random.uniform() <= probability) {
      timing.copy = after;
    }
  }
  [[nodiscard]] Nanoseconds memory_delay() const { return mean_of_share(probability, after); }
};

}  // namespace hilgate

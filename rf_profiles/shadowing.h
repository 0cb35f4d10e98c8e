// SPDX-License-Identifier: Apache-2.0
// Log-normal shadowing, correlated over the distance moved: S' = R S + sqrt(1 - R^2) sigma N(0,1), R = exp(-dx/dcorr)
// (TR 38.901, 7.4.4; M. Gudmundson, "Correlation model for shadow fading in mobile radio systems", 1991).
//
// The process lives on a grid of distance and not of time: a pair that has moved by k steps of dcorr/100 has drawn k
// times, and lies on the straight line between two grid values in between. So the values a pair sees along its way
// do not depend on how often it was asked: halving the window changes nothing but rounding. The line costs at most
// 0.5 % of the variance between two grid values.
#pragma once

#include <cstdint>
#include <vector>

namespace hilgate {

/// For one condition of sight. sigma 0 means no shadowing.
struct ShadowSpread {
  double sigma_db = 0;
  double correlation_m = 10;  // > 0
};

struct Shadowing {
  ShadowSpread los;
  ShadowSpread nlos;
  [[nodiscard]] bool any() const { return los.sigma_db > 0 || nlos.sigma_db > 0; }
};

/// R of two values a pair sees `moved_m` apart.
double shadow_correlation(double moved_m, double correlation_m);

/// One value per unordered pair, so that both directions share it. Every pair draws from a stream of its own
/// (seed, pair), so that results depend neither on the number of pairs nor on who computes them.
class ShadowField {
 public:
  ShadowField(const Shadowing& shadowing, std::size_t pairs, std::uint64_t seed);

  /// The loss (negative: gain) in dB of a pair after its ends have moved by `moved_m` together since the last call.
  /// When the sight changes, an independent value is drawn. Different pairs may be updated by different threads.
  double update(std::size_t pair, double moved_m, bool line_of_sight);

 private:
  struct Walk {
    double here = 0;         // value at grid point `step`, in units of sigma
    double next = 0;         // value at grid point `step` + 1
    double part = 0;         // how far between the two, [0, 1)
    std::uint64_t step = 0;  // draws so far
    std::uint32_t epoch = 0;
    bool line_of_sight = true;
    bool begun = false;
  };
  void begin(Walk& walk, std::size_t pair, bool line_of_sight) const;
  void move_on(Walk& walk, std::size_t pair, double steps) const;
  [[nodiscard]] double draw(const Walk& walk, std::size_t pair, std::uint64_t step) const;

  Shadowing shadowing_;
  std::vector<Walk> walks_;
  std::uint64_t seed_;
};

}  // namespace hilgate

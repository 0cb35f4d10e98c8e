// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate {

/// Links that differ at one level, as measured ones do where the receivers' surroundings differ: a frame is lost where
/// a standard normal number is above a limit that the level sets, and a share of the number's variance is the link's
/// own, the same for all of its frames (a probit model with random intercepts). The mean loss of many links at a level
/// does not depend on the share; with a share of 0 losses depend on the level alone, near 1 a link loses all frames or
/// none.
struct LinkSpread {
  double share = 0;        // [0, kMost]
  double frame_bits = 0;   // of the frames whose losses spread so
  std::uint64_t seed = 0;  // of the links' own numbers

  static constexpr double kMost = 0.999;

  /// The link's own number: standard normal.
  [[nodiscard]] double own(std::uint32_t link) const;
  /// Hazard per bit of a link with this number, where that of the mean link is `hazard`.
  [[nodiscard]] double hazard(double hazard, double own) const;
};

/// Where a share of `loss` of all frames is lost: of two frames of a link of which one is lost the other is, too, with
/// this probability. `share` as LinkSpread's.
double loss_beside_loss(double loss, double share);

}  // namespace hilgate

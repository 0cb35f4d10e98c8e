// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rf_profiles/propagation/pair_batch.h"
#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {

/// Where two robots are to one another.
struct PairGeometry {
  double d2d_m = 0;  // horizontal distance
  double d3d_m = 0;
  double high_m = 0;  // height above ground of the higher and of the lower antenna
  double low_m = 0;
  bool line_of_sight = true;
  PairBase base = PairBase::kNone;
  const TerrainProfile* terrain = nullptr;  // from the higher antenna to the lower one; null: not known
};

/// Of pair `i` of a batch.
inline PairGeometry geometry_of(const PairBatch& pairs, std::size_t i) {
  return {pairs.d2d_m[i],          pairs.d3d_m[i], pairs.high_m[i], pairs.low_m[i], pairs.line_of_sight[i] != 0,
          PairBase{pairs.base[i]}, nullptr};
}

}  // namespace hilgate

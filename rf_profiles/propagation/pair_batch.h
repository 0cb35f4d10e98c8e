// SPDX-License-Identifier: Apache-2.0
// Some pairs of robots side by side: models of the air take many at once, column by column, because that is how a
// processor computes fast. What a pair gets does not depend on which others are in the batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hilgate {

/// Which of a pair's antennas is a base station's, by configured roles.
enum class PairBase : std::uint64_t {
  kNone,    // no role is set
  kHigher,  // the higher one's, or both
  kLower,
};

/// Of two antennas with or without such a role.
constexpr PairBase pair_base(bool higher_is_base, bool lower_is_base) {
  return higher_is_base ? PairBase::kHigher : lower_is_base ? PairBase::kLower : PairBase::kNone;
}

struct PairBatch {
  static constexpr std::size_t kMost = 256;
  template <class T>
  using Column = std::array<T, kMost>;
  using Numbers = Column<double>;

  /// A single pair, for models that go by movement and sight alone: the other columns have no values.
  static PairBatch one(std::size_t pair, double moved_m, bool line_of_sight) {
    PairBatch batch;
    batch.size = 1;
    batch.pair[0] = static_cast<std::uint32_t>(pair);
    batch.moved_m[0] = batch.stride_m[0] = moved_m;
    batch.line_of_sight[0] = line_of_sight ? 1 : 0;
    return batch;
  }

  std::size_t size = 0;
  alignas(64) Column<std::uint32_t> pair;  // pair_index(); none is in a batch twice
  alignas(64) Numbers d2d_m;               // horizontal distance
  alignas(64) Numbers d3d_m;
  alignas(64) Numbers high_m;  // height above ground of the higher and of the lower antenna
  alignas(64) Numbers low_m;
  alignas(64) Column<std::uint64_t> base;           // a PairBase; as wide as the numbers
  alignas(64) Numbers moved_m;                      // since the last batch with the pair, both ends together
  alignas(64) Numbers stride_m;                     // of that the last window's part
  alignas(64) Column<std::uint64_t> line_of_sight;  // 0 or 1; as wide as the numbers it chooses among
};

}  // namespace hilgate

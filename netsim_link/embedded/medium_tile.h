// SPDX-License-Identifier: Apache-2.0
// A square of a medium's table of pairs, some members down and some across: so much of the work on all pairs that it
// stays in the nearest cache, and that links of one sender are written one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frame/id.h"
#include "netsim_link/link_state.h"
#include "physics_link/scene.h"
#include "rf_profiles/propagation/pair_batch.h"

namespace hilgate {

/// Where the members of a medium are, as columns, in the order of their robots' numbers.
struct MemberColumns {
  std::vector<std::uint32_t> robot;
  std::vector<double> x_m, y_m, z_m;
  std::vector<double> height_m;     // above ground
  std::vector<double> moved_m;      // since the last scene
  std::vector<double> way_m;        // since the first one
  std::vector<std::uint64_t> base;  // 1: has the role of a base station
  [[nodiscard]] std::size_t size() const { return robot.size(); }
  void add(RobotIndex index, bool is_base) {
    robot.push_back(index.value());
    base.push_back(is_base ? 1 : 0);
  }
  /// Of a pair whose other member lacks that role.
  [[nodiscard]] PairBase base_beside(std::size_t member, double other_height_m) const {
    const bool is_base = base[member] != 0;
    return pair_base(is_base && height_m[member] >= other_height_m, is_base);
  }
};

/// Pairs of a member with smaller number, `low`, and one of greater, `high`; row by row, a `high` each.
class MediumTile {
 public:
  static constexpr std::size_t kSide = 16;  // members; measured: the best of 4 to 64 by 16
  static_assert(kSide * kSide <= PairBatch::kMost);

  /// The tile of highs and lows that begin there, with the geometry of all its pairs; line of sight is set later.
  void place(const MemberColumns& members, std::size_t first_high, std::size_t first_low);

  /// Instead of a square: pairs of any members, one by one. There must be room.
  void clear();
  [[nodiscard]] bool full() const { return pairs.size == PairBatch::kMost; }
  void add(const MemberColumns& members, std::size_t high, std::size_t low);
  /// The geometry of the pairs that were added.
  void measure(const MemberColumns& members);
  /// Moves pair, sight, losses and fading from index `from` to index `to`.
  void move(std::size_t from, std::size_t to);
  /// write_added() follows soon: fetches from memory where it writes.
  void expect_links(const MemberColumns& members, std::size_t robots, std::vector<LinkState>& links) const;
  /// As write(), of pairs that were added; appends the LinkIndex of each link to `heard`.
  void write_added(const MemberColumns& members, std::size_t robots, bool alike, std::vector<LinkState>& links,
                   std::vector<std::uint32_t>& heard) const;

  /// Members of a pair.
  [[nodiscard]] std::size_t low(std::size_t i) const { return low_[i]; }
  [[nodiscard]] std::size_t high(std::size_t i) const { return high_[i]; }

  /// The pairs' part of a column.
  [[nodiscard]] std::span<double> in_use(PairBatch::Numbers& column) const { return {column.data(), pairs.size}; }

  /// Copies the states to where LinkIndex has them, those of one sender in turn; `alike`: `there` holds for both ways.
  void write(const MemberColumns& members, std::size_t robots, bool alike, std::vector<LinkState>& links) const;

  PairBatch pairs;
  PairBatch::Column<const Sight*> sight;  // what lies between, as the scene has it
  alignas(64) PairBatch::Numbers loss_db;
  alignas(64) PairBatch::Numbers shadow_db;
  alignas(64) PairBatch::Numbers fading_db;  // gain
  alignas(64) PairBatch::Numbers walls_db;
  /// Of each pair, powers at `frequencies` over their mean (Band); 0 frequencies: alike all over the band.
  std::size_t frequencies = 0;
  std::vector<float> gains;
  [[nodiscard]] std::span<float> gains_of(std::size_t i) { return {&gains[i * frequencies], frequencies}; }
  [[nodiscard]] std::span<const float> gains_of(std::size_t i) const { return {&gains[i * frequencies], frequencies}; }

  PairBatch::Column<LinkState> there;  // low sends
  PairBatch::Column<LinkState> back;   // high sends

 private:
  struct Row {
    std::size_t high = 0;   // member
    std::size_t begin = 0;  // of pairs
    std::size_t size = 0;
  };
  std::size_t first_low_ = 0;
  std::size_t rows_used_ = 0;
  std::array<Row, kSide> rows_;
  PairBatch::Column<std::uint32_t> low_;
  PairBatch::Column<std::uint32_t> high_;
};

}  // namespace hilgate

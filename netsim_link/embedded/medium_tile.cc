// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/medium_tile.h"

#include <algorithm>
#include <cmath>

#include "physics_link/scene.h"
#include "rf_profiles/numeric/vector_code.h"

namespace hilgate {
namespace {

/// Pairs of `high` with the members from `low` on, from index `begin` of the batch on.
HILGATE_VECTOR_CODE void place_row(const MemberColumns& members, std::size_t high, std::size_t low, std::size_t size,
                                   std::size_t begin, PairBatch& pairs) {
  const double x = members.x_m[high];
  const double y = members.y_m[high];
  const double z = members.z_m[high];
  const double height = members.height_m[high];
  const double moved = members.moved_m[high];
  const double* const xs = &members.x_m[low];
  const double* const ys = &members.y_m[low];
  const double* const zs = &members.z_m[low];
  const double* const heights = &members.height_m[low];
  const double* const moves = &members.moved_m[low];
  const bool base = members.base[high] != 0;
  const std::uint64_t* const bases = &members.base[low];
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) {
    const double east = xs[i] - x;
    const double north = ys[i] - y;
    const double up = zs[i] - z;
    const double flat = east * east + north * north;
    pairs.d2d_m[begin + i] = std::sqrt(flat);
    pairs.d3d_m[begin + i] = std::sqrt(flat + up * up);
    const bool is_higher = heights[i] > height;
    pairs.high_m[begin + i] = is_higher ? heights[i] : height;
    pairs.low_m[begin + i] = is_higher ? height : heights[i];
    const bool other = bases[i] != 0;
    pairs.base[begin + i] = static_cast<std::uint64_t>(is_higher ? pair_base(other, base) : pair_base(base, other));
    pairs.moved_m[begin + i] = pairs.stride_m[begin + i] = moves[i] + moved;
  }
}

}  // namespace

void MediumTile::place(const MemberColumns& members, std::size_t first_high, std::size_t first_low) {
  first_low_ = first_low;
  rows_used_ = 0;
  pairs.size = 0;
  const std::size_t end = std::min(first_high + kSide, members.size());
  for (std::size_t high = std::max(first_high, first_low + 1); high < end; ++high) {
    const std::size_t size = std::min(kSide, high - first_low);
    rows_[rows_used_++] = {high, pairs.size, size};
    place_row(members, high, first_low, size, pairs.size, pairs);
    const RobotIndex robot{members.robot[high]};
    for (std::size_t low = first_low; low < first_low + size; ++low) {
      const std::size_t i = pairs.size++;
      pairs.pair[i] = static_cast<std::uint32_t>(pair_index(RobotIndex{members.robot[low]}, robot));
      low_[i] = static_cast<std::uint32_t>(low);
      high_[i] = static_cast<std::uint32_t>(high);
    }
  }
}

void MediumTile::clear() {
  rows_used_ = 0;
  pairs.size = 0;
}

void MediumTile::add(const MemberColumns& members, std::size_t high, std::size_t low) {
  const std::size_t i = pairs.size++;
  pairs.pair[i] =
      static_cast<std::uint32_t>(pair_index(RobotIndex{members.robot[low]}, RobotIndex{members.robot[high]}));
  low_[i] = static_cast<std::uint32_t>(low);
  high_[i] = static_cast<std::uint32_t>(high);
}

HILGATE_VECTOR_CODE void MediumTile::measure(const MemberColumns& members) {
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const std::size_t low = low_[i];
    const std::size_t high = high_[i];
    const double east = members.x_m[low] - members.x_m[high];
    const double north = members.y_m[low] - members.y_m[high];
    const double up = members.z_m[low] - members.z_m[high];
    const double flat = east * east + north * north;
    pairs.d2d_m[i] = std::sqrt(flat);
    pairs.d3d_m[i] = std::sqrt(flat + up * up);
    const bool is_higher = members.height_m[low] > members.height_m[high];
    pairs.high_m[i] = is_higher ? members.height_m[low] : members.height_m[high];
    pairs.low_m[i] = is_higher ? members.height_m[high] : members.height_m[low];
    const bool low_base = members.base[low] != 0;
    const bool high_base = members.base[high] != 0;
    pairs.base[i] =
        static_cast<std::uint64_t>(is_higher ? pair_base(low_base, high_base) : pair_base(high_base, low_base));
    pairs.stride_m[i] = members.moved_m[low] + members.moved_m[high];
  }
}

void MediumTile::move(std::size_t from, std::size_t to) {
  if (from == to) {
    return;
  }
  pairs.pair[to] = pairs.pair[from];
  pairs.d2d_m[to] = pairs.d2d_m[from];
  pairs.d3d_m[to] = pairs.d3d_m[from];
  pairs.high_m[to] = pairs.high_m[from];
  pairs.low_m[to] = pairs.low_m[from];
  pairs.base[to] = pairs.base[from];
  pairs.line_of_sight[to] = pairs.line_of_sight[from];
  sight[to] = sight[from];
  loss_db[to] = loss_db[from];
  shadow_db[to] = shadow_db[from];
  fading_db[to] = fading_db[from];
  std::copy_n(gains.begin() + static_cast<std::ptrdiff_t>(from * frequencies), frequencies,
              gains.begin() + static_cast<std::ptrdiff_t>(to * frequencies));
  low_[to] = low_[from];
  high_[to] = high_[from];
}

void MediumTile::expect_links(const MemberColumns& members, std::size_t robots, std::vector<LinkState>& links) const {
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const RobotIndex low{members.robot[low_[i]]};
    const RobotIndex high{members.robot[high_[i]]};
    __builtin_prefetch(&links[link_of(low, high, robots).value()], 1);
    __builtin_prefetch(&links[link_of(high, low, robots).value()], 1);
  }
}

void MediumTile::write_added(const MemberColumns& members, std::size_t robots, bool alike,
                             std::vector<LinkState>& links, std::vector<std::uint32_t>& heard) const {
  const PairBatch::Column<LinkState>& high_sends = alike ? there : back;
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const RobotIndex low{members.robot[low_[i]]};
    const RobotIndex high{members.robot[high_[i]]};
    const std::uint32_t out = link_of(low, high, robots).value();
    const std::uint32_t in = link_of(high, low, robots).value();
    links[out] = there[i];
    links[in] = high_sends[i];
    heard.push_back(out);
    heard.push_back(in);
  }
}

void MediumTile::write(const MemberColumns& members, std::size_t robots, bool alike,
                       std::vector<LinkState>& links) const {
  const PairBatch::Column<LinkState>& high_sends = alike ? there : back;
  for (std::size_t r = 0; r < rows_used_; ++r) {
    const Row& row = rows_[r];
    LinkState* const sender = &links[members.robot[row.high] * robots];
    for (std::size_t i = 0; i < row.size; ++i) {
      sender[members.robot[first_low_ + i]] = high_sends[row.begin + i];
    }
  }
  for (std::size_t column = 0; column < kSide; ++column) {
    for (std::size_t r = 0; r < rows_used_; ++r) {
      const Row& row = rows_[r];
      if (column < row.size) {
        links[members.robot[first_low_ + column] * robots + members.robot[row.high]] = there[row.begin + column];
      }
    }
  }
}

}  // namespace hilgate

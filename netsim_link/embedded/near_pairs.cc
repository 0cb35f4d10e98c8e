// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/near_pairs.h"

#include <algorithm>

namespace hilgate {
namespace {

constexpr double kMostAlongSide = 64;  // cells; more would cost more than they save

std::size_t cell_along(double from_m, double at_m, double width_m, std::size_t cells) {
  const double place = (at_m - from_m) / width_m;
  return place > 0 ? std::min(static_cast<std::size_t>(place), cells - 1) : 0;
}

}  // namespace

std::size_t NearPairs::column_of(double x_m) const {
  return cell_along(left_m_, x_m, width_m_, across_);
}

std::size_t NearPairs::row_of(double y_m) const {
  return cell_along(bottom_m_, y_m, width_m_, up_);
}

void NearPairs::sort(const MemberColumns& members, double reach_m) {
  const std::size_t size = members.size();
  const auto [left, right] = std::minmax_element(members.x_m.begin(), members.x_m.end());
  const auto [bottom, top] = std::minmax_element(members.y_m.begin(), members.y_m.end());
  reach_m_ = reach_m;
  left_m_ = *left;
  bottom_m_ = *bottom;
  width_m_ = std::max({reach_m, (*right - *left) / kMostAlongSide, (*top - *bottom) / kMostAlongSide});
  across_ = static_cast<std::size_t>((*right - *left) / width_m_) + 1;
  up_ = static_cast<std::size_t>((*top - *bottom) / width_m_) + 1;
  begins_.assign(across_ * up_ + 1, 0);
  cell_of_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    cell_of_[i] = static_cast<std::uint32_t>(row_of(members.y_m[i]) * across_ + column_of(members.x_m[i]));
    ++begins_[cell_of_[i]];
  }
  std::uint32_t sum = 0;
  for (std::uint32_t& begin : begins_) {
    sum += begin;
    begin = sum;  // its end as yet
  }
  members_.resize(size);
  for (std::vector<double>* column : {&x_m_, &y_m_, &z_m_}) {
    column->resize(size);
  }
  for (std::size_t i = size; i-- > 0;) {
    const std::uint32_t place = --begins_[cell_of_[i]];
    members_[place] = static_cast<std::uint32_t>(i);
    x_m_[place] = members.x_m[i];
    y_m_[place] = members.y_m[i];
    z_m_[place] = members.z_m[i];
  }
}

std::span<const std::uint32_t> NearPairs::lows_of(const MemberColumns& members, std::size_t high,
                                                  std::vector<std::uint32_t>& room) const {
  room.resize(members.size() + 1);
  const double x = members.x_m[high];
  const double y = members.y_m[high];
  const double z = members.z_m[high];
  const double reach2 = reach_m_ * reach_m_;
  const std::size_t column = cell_of_[high] % across_;
  const std::size_t row = cell_of_[high] / across_;
  std::size_t found = 0;
  for (std::size_t r = row > 0 ? row - 1 : 0; r < std::min(row + 2, up_); ++r) {
    const std::size_t first = r * across_ + (column > 0 ? column - 1 : 0);
    const std::size_t last = r * across_ + std::min(column + 1, across_ - 1);
    for (std::size_t i = begins_[first]; i < begins_[last + 1]; ++i) {
      const double east = x_m_[i] - x;
      const double north = y_m_[i] - y;
      const double above = z_m_[i] - z;
      room[found] = members_[i];  // kept or written over by the next: a branch would be guessed wrong too often
      const bool near = east * east + north * north + above * above <= reach2;
      found += static_cast<std::size_t>(near) & static_cast<std::size_t>(members_[i] < high);
    }
  }
  return {room.data(), found};
}

std::span<const std::uint32_t> NearPairs::lows_of(const MemberColumns& members, std::size_t high,
                                                  std::span<const std::uint32_t> some,
                                                  std::vector<std::uint32_t>& room) const {
  room.clear();
  for (const std::uint32_t low : some) {
    if (low >= high) {
      break;
    }
    const double east = members.x_m[low] - members.x_m[high];
    const double north = members.y_m[low] - members.y_m[high];
    const double above = members.z_m[low] - members.z_m[high];
    if (east * east + north * north + above * above <= reach_m_ * reach_m_) {
      room.push_back(low);
    }
  }
  return room;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Which members of a medium are near which: a grid of cells on the ground, as wide as they can hear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "netsim_link/embedded/medium_tile.h"

namespace hilgate {

class NearPairs {
 public:
  /// Members by where they are now; `reach_m` above 0.
  void sort(const MemberColumns& members, double reach_m);
  /// Whether most members are in cells that are not next to one's own.
  [[nodiscard]] bool leaves_out_most() const { return across_ * up_ > kManyCells; }
  /// Members of smaller number than `high` that are no farther from it than the reach, in `room`. Several threads may
  /// ask at the same time, each with its own.
  [[nodiscard]] std::span<const std::uint32_t> lows_of(const MemberColumns& members, std::size_t high,
                                                       std::vector<std::uint32_t>& room) const;
  /// Likewise, of these alone, which rise.
  [[nodiscard]] std::span<const std::uint32_t> lows_of(const MemberColumns& members, std::size_t high,
                                                       std::span<const std::uint32_t> some,
                                                       std::vector<std::uint32_t>& room) const;

 private:
  static constexpr std::size_t kManyCells = 72;  // of which nine are asked

  [[nodiscard]] std::size_t column_of(double x_m) const;
  [[nodiscard]] std::size_t row_of(double y_m) const;

  double reach_m_ = 1;
  double left_m_ = 0, bottom_m_ = 0;    // of the grid
  double width_m_ = 1;                  // of a cell
  std::size_t across_ = 1, up_ = 1;     // cells
  std::vector<std::uint32_t> begins_;   // by cell, row by row, and one more: index into the columns below
  std::vector<std::uint32_t> members_;  // cell by cell, in each by number
  std::vector<double> x_m_, y_m_, z_m_;
  std::vector<std::uint32_t> cell_of_;  // by member
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "physics_link/ray_box.h"

namespace hilgate {

/// The ground of a scene: heights at the posts of a grid, and between four posts the bilinear surface through them.
/// Metres in the frame of the scene, whose z = 0 need not be the sea. Immutable.
class HeightGrid {
 public:
  struct Layout {
    double west_m = 0, south_m = 0;  // of the first post
    double step_m = 1;               // from post to post, above 0
    std::size_t columns = 2;         // at least 2
    std::size_t rows = 2;            // likewise
    friend bool operator==(const Layout&, const Layout&) = default;
  };

  /// `heights_m` row by row from the south, each from the west: columns times rows of them. `sea_m`: the scene's z = 0
  /// above sea level.
  HeightGrid(const Layout& layout, std::vector<float> heights_m, double sea_m)
      : layout_(layout), heights_m_(std::move(heights_m)), sea_m_(sea_m) {}

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] double east_m() const {
    return layout_.west_m + layout_.step_m * static_cast<double>(layout_.columns - 1);
  }
  [[nodiscard]] double north_m() const {
    return layout_.south_m + layout_.step_m * static_cast<double>(layout_.rows - 1);
  }
  [[nodiscard]] const std::vector<float>& heights_m() const { return heights_m_; }

  [[nodiscard]] bool covers(double x, double y) const {
    return layout_.west_m <= x && x <= east_m() && layout_.south_m <= y && y <= north_m();
  }
  /// The z of the ground. Outside, that of the nearest point of the edge.
  [[nodiscard]] double at(double x, double y) const;
  /// The ground above sea level: the scene's plane touches the earth at the origin, so that the sea falls away from it.
  [[nodiscard]] double above_sea(double x, double y) const;

  /// Whether the ground comes above the straight ray between its ends, at points a step of the grid or less apart.
  [[nodiscard]] bool blocks(const Segment& ray) const;

 private:
  Layout layout_;
  std::vector<float> heights_m_;
  double sea_m_;
};

}  // namespace hilgate

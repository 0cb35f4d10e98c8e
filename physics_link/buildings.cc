// SPDX-License-Identifier: Apache-2.0
// The walk from square to square is that of J. Amanatides, A. Woo, "A fast voxel traversal algorithm for ray tracing",
// Eurographics 1987.
#include "physics_link/buildings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace hilgate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Where a segment is within a box, [from, to] of [0, 1].
struct BoxStretch {
  double from = 0;
  double to = 1;

  /// Cuts what is not between low and high on one axis, from a with that slope; false: nothing is left.
  [[nodiscard]] bool cut(double a, double slope, double low, double high) {
    if (slope == 0) {
      return low <= a && a <= high;
    }
    const double one = (low - a) / slope;
    const double other = (high - a) / slope;
    from = std::max(from, std::min(one, other));
    to = std::min(to, std::max(one, other));
    return from <= to;
  }
};

/// The walk along one axis, in t of the segment.
struct AxisWalk {
  std::int32_t step = 0;
  double next = kNever;   // where the next square begins
  double every = kNever;  // from one to the one after

  AxisWalk(double a, double slope, double origin, double edge, std::int32_t square) {
    if (slope != 0) {
      step = slope > 0 ? 1 : -1;
      next = (origin + edge * (square + (slope > 0 ? 1 : 0)) - a) / slope;
      every = edge / std::abs(slope);
    }
  }
  void advance() { next += every; }
};

}  // namespace

/// A ray's way through the squares, and what it has crossed.
struct Buildings::View {
  const Segment& ray;
  std::vector<WallCrossing>& walls;
  double east = 0;   // of the ray
  double north = 0;  // likewise
  double lowest_m = 0;
  double lost_db = 0;
};

Buildings::Buildings(std::vector<Prism> prisms) : prisms_(std::move(prisms)) {
  if (!prisms_.empty()) {
    lay_squares();
    list_prisms();
  }
}

void Buildings::lay_squares() {
  double east = -kNever;
  double north = -kNever;
  west_ = south_ = kNever;
  highest_ = -kNever;
  for (const Prism& prism : prisms_) {
    Extent extent{.west = kNever, .south = kNever, .east = -kNever, .north = -kNever, .first = {}, .last = {}};
    for (const GroundRing& ring : prism.rings) {
      for (const GroundPoint& point : ring) {
        extent.west = std::min(extent.west, point.x);
        extent.south = std::min(extent.south, point.y);
        extent.east = std::max(extent.east, point.x);
        extent.north = std::max(extent.north, point.y);
      }
    }
    west_ = std::min(west_, extent.west);
    south_ = std::min(south_, extent.south);
    east = std::max(east, extent.east);
    north = std::max(north, extent.north);
    highest_ = std::max(highest_, prism.top_m);
    extents_.push_back(extent);
  }
  // As many squares as prisms: on average one is asked for each square on the way.
  constexpr double kLeastEdge = 1;  // m
  const double width = std::max(east - west_, kLeastEdge);
  const double height = std::max(north - south_, kLeastEdge);
  edge_ = std::max({kLeastEdge, std::sqrt(width * height / static_cast<double>(prisms_.size())),
                    std::max(width, height) / static_cast<double>(prisms_.size())});
  columns_ = static_cast<std::int32_t>(width / edge_) + 1;
  rows_ = static_cast<std::int32_t>(height / edge_) + 1;
}

void Buildings::list_prisms() {
  const std::size_t squares = static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_);
  begins_.assign(squares + 1, 0);
  tops_.assign(squares, -kNever);
  const auto visit = [this](const auto& each) {
    for (std::size_t prism = 0; prism < prisms_.size(); ++prism) {
      const Extent& extent = extents_[prism];
      for (std::int32_t row = extent.first.row; row <= extent.last.row; ++row) {
        for (std::int32_t column = extent.first.column; column <= extent.last.column; ++column) {
          each(prism, index_of({column, row}));
        }
      }
    }
  };
  for (Extent& extent : extents_) {
    extent.first = square_of(extent.west, extent.south);
    extent.last = square_of(extent.east, extent.north);
  }
  visit([this](std::size_t prism, std::size_t square) {
    ++begins_[square + 1];
    tops_[square] = std::max(tops_[square], prisms_[prism].top_m);
  });
  for (std::size_t square = 0; square < squares; ++square) {
    begins_[square + 1] += begins_[square];
  }
  listed_.resize(begins_.back());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  visit([&](std::size_t prism, std::size_t square) { listed_[next[square]++] = static_cast<std::uint32_t>(prism); });
}

Buildings::Square Buildings::square_of(double x, double y) const {
  return {std::clamp(static_cast<std::int32_t>((x - west_) / edge_), 0, columns_ - 1),
          std::clamp(static_cast<std::int32_t>((y - south_) / edge_), 0, rows_ - 1)};
}

void Buildings::visit_square(const Square& square, const Square& before, View& view) const {
  const std::size_t index = index_of(square);
  if (tops_[index] <= view.lowest_m) {
    return;  // the same in every square of a prism, so that none is taken for one that was asked
  }
  for (std::uint32_t i = begins_[index]; i < begins_[index + 1]; ++i) {
    const std::size_t number = listed_[i];
    const Extent& extent = extents_[number];
    // The walk goes one way on each axis, so that it is in the squares of a prism once, from the first on.
    const bool was_there = extent.first.column <= before.column && before.column <= extent.last.column &&
                           extent.first.row <= before.row && before.row <= extent.last.row;
    BoxStretch within;
    if (was_there || prisms_[number].top_m <= view.lowest_m ||
        !within.cut(view.ray.a.x, view.east, extent.west, extent.east) ||
        !within.cut(view.ray.a.y, view.north, extent.south, extent.north)) {
      continue;
    }
    const std::size_t crossed = view.walls.size();
    hilgate::append_crossings(view.ray, prisms_[number], view.walls);
    view.lost_db += prisms_[number].least_loss_db * static_cast<double>(view.walls.size() - crossed);
  }
}

void Buildings::append_crossings(const Segment& ray, std::vector<WallCrossing>& walls) const {
  View view{ray, walls, ray.b.x - ray.a.x, ray.b.y - ray.a.y, std::min(ray.a.z, ray.b.z)};
  BoxStretch within;
  if (prisms_.empty() || !within.cut(ray.a.z, ray.b.z - ray.a.z, -kNever, highest_) ||
      !within.cut(ray.a.x, view.east, west_, west_ + edge_ * columns_) ||
      !within.cut(ray.a.y, view.north, south_, south_ + edge_ * rows_)) {
    return;
  }
  const auto at = [&](double t) { return square_of(ray.a.x + t * view.east, ray.a.y + t * view.north); };
  Square square = at(within.from);
  const Square last = at(within.to);
  Square before{-1, -1};
  AxisWalk column(ray.a.x, view.east, west_, edge_, square.column);
  AxisWalk row(ray.a.y, view.north, south_, edge_, square.row);
  while (view.lost_db < kMostLossDb) {
    visit_square(square, before, view);
    if (square == last) {
      return;
    }
    before = square;
    // Rounding may put the end of one axis before that of the other, never past it.
    const bool by_column = square.row == last.row || (square.column != last.column && column.next < row.next);
    (by_column ? square.column : square.row) += (by_column ? column : row).step;
    (by_column ? column : row).advance();
  }
}

}  // namespace hilgate

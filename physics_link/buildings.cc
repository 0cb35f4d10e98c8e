// SPDX-License-Identifier: Apache-2.0
// The walk from square to square is that of J. Amanatides, A. Woo, "A fast voxel traversal algorithm for ray tracing",
// Eurographics 1987.
#include "physics_link/buildings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace hilgate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kAround = 1;  // m; prisms that are no nearer to a ray need not be in its squares
// Of crossings that remain, in steps: so many metres count.
constexpr std::array kStays = {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, kLongestStay};

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
  View(const Segment& from_to, std::vector<WallCrossing>& found, bool measures)
      : ray(from_to),
        walls(found),
        around_m(measures ? kAround : 0),
        is_measured(measures),
        east(ray.b.x - ray.a.x),
        north(ray.b.y - ray.a.y),
        low_m(std::min(ray.a.z, ray.b.z)),
        high_m(std::max(ray.a.z, ray.b.z)) {
    const double flat_m = std::hypot(east, north);
    right_x = flat_m > 0 ? north / flat_m : 0;
    right_y = flat_m > 0 ? -east / flat_m : 0;
  }
  /// No receiver is left, and where it is measured, none is after some way either.
  [[nodiscard]] bool is_done() const {
    return lost_db >= kMostLossDb && (!is_measured || lost_within_db.back() >= kMostLossDb);
  }
  [[nodiscard]] double lasts_m() const {
    double most_m = std::min(same_m, kAround);
    for (std::size_t i = 0; i < kStays.size(); ++i) {
      most_m = lost_within_db[i] >= kMostLossDb ? std::max(most_m, kStays[i]) : most_m;
    }
    return most_m;
  }
  /// By how much the ray's line misses an extent, or its ends do; 0 or less: it may cross it.
  [[nodiscard]] double misses_by(const Extent& extent, const Prism& prism) const {
    const double middle_x = (extent.west + extent.east) / 2 - ray.a.x;
    const double middle_y = (extent.south + extent.north) / 2 - ray.a.y;
    const double half_x = (extent.east - extent.west) / 2;
    const double half_y = (extent.north - extent.south) / 2;
    const double beside =
        std::abs(right_x * middle_x + right_y * middle_y) - std::abs(right_x) * half_x - std::abs(right_y) * half_y;
    const double beyond_x = std::abs(middle_x - east / 2) - half_x - std::abs(east) / 2;
    const double beyond_y = std::abs(middle_y - north / 2) - half_y - std::abs(north) / 2;
    return std::max({beside, beyond_x, beyond_y, low_m - prism.top_m, prism.base_m - high_m});
  }

  const Segment& ray;
  std::vector<WallCrossing>& walls;
  double around_m;  // prisms no nearer than this do not matter
  bool is_measured;
  double east, north;  // of the ray
  double low_m, high_m;
  double right_x = 0, right_y = 0;                // across it, of length 1
  std::vector<std::uint32_t>* crossed = nullptr;  // where prisms are listed
  double lost_db = 0;
  double same_m = kNever;                              // as far as the ends may move for all crossings to remain
  std::array<double, kStays.size()> lost_within_db{};  // by crossings that remain while they move so far
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
    Extent extent{.west = kNever,
                  .south = kNever,
                  .east = -kNever,
                  .north = -kNever,
                  .is_convex = is_convex(prism),
                  .first = {},
                  .last = {}};
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
  west_ -= kAround;
  south_ -= kAround;
  east += kAround;
  north += kAround;
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
    extent.first = square_of(extent.west - kAround, extent.south - kAround);
    extent.last = square_of(extent.east + kAround, extent.north + kAround);
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
  if (tops_[index] <= view.low_m - view.around_m) {
    return;  // the same in every square of a prism, so that none is taken for one that was asked
  }
  for (std::uint32_t i = begins_[index]; i < begins_[index + 1]; ++i) {
    // The walk goes one way on each axis, so that it is in the squares of a prism once, from the first on.
    const Extent& extent = extents_[listed_[i]];
    const bool was_there = extent.first.column <= before.column && before.column <= extent.last.column &&
                           extent.first.row <= before.row && before.row <= extent.last.row;
    if (!was_there) {
      visit_prism(listed_[i], view);
    }
  }
}

void Buildings::visit_prism(std::size_t number, View& view) const {
  const Prism& prism = prisms_[number];
  const bool is_counted = view.lost_db < kMostLossDb;
  if (const double missed_m = view.misses_by(extents_[number], prism); missed_m > 0) {
    view.same_m = is_counted ? std::min(view.same_m, missed_m) : view.same_m;
    return;
  }
  const double loss_db = prism.fixed_loss_db.value_or(0);
  const std::size_t before = view.walls.size();
  if (is_counted) {
    hilgate::append_crossings(view.ray, prism, view.walls);
    view.lost_db += loss_db * static_cast<double>(view.walls.size() - before);
    if (view.crossed != nullptr && view.walls.size() > before) {
      view.crossed->push_back(static_cast<std::uint32_t>(number));
    }
  }
  if (!view.is_measured) {
    return;
  }
  const PrismStay stay = stay_of(view.ray, prism, extents_[number].is_convex);
  if (is_counted) {
    const bool varies = view.walls.size() > before && !prism.fixed_loss_db;
    view.same_m = varies ? 0 : std::min(view.same_m, stay.move_m);
  }
  for (std::size_t i = 0; stay.crosses && i < kStays.size(); ++i) {
    view.lost_within_db[i] += stay.move_m >= kStays[i] ? loss_db : 0;
  }
}

void Buildings::append_crossings(const Segment& ray, std::vector<WallCrossing>& walls) const {
  View view(ray, walls, false);
  walk(view);
}

double Buildings::append_lasting_crossings(const Segment& ray, std::vector<WallCrossing>& walls) const {
  View view(ray, walls, true);
  walk(view);
  return view.lasts_m();
}

std::vector<std::uint32_t> Buildings::crossed(const Segment& ray) const {
  std::vector<WallCrossing> walls;
  std::vector<std::uint32_t> prisms;
  View view(ray, walls, false);
  view.crossed = &prisms;
  walk(view);
  return prisms;
}

void Buildings::walk(View& view) const {
  const Segment& ray = view.ray;
  BoxStretch within;
  if (prisms_.empty() || !within.cut(ray.a.z, ray.b.z - ray.a.z, -kNever, highest_ + view.around_m) ||
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
  while (!view.is_done()) {
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics_link/prism.h"

namespace hilgate {

/// Many prisms, listed by squares of the ground, so that a ray asks those alone that stand near it. Immutable; several
/// threads may ask.
class Buildings {
 public:
  /// Walls that together lose so much leave nothing for any receiver: those after them on the ray are not looked for.
  static constexpr double kMostLossDb = 200;

  /// Every prism has a ring of three points at least, and base_m < top_m.
  explicit Buildings(std::vector<Prism> prisms);

  [[nodiscard]] const std::vector<Prism>& prisms() const { return prisms_; }
  /// As that of one prism; prisms in the order in which the ray comes to their squares. Once crossings whose
  /// fixed_loss_db is known lose kMostLossDb, the rest is left out.
  void append_crossings(const Segment& ray, std::vector<WallCrossing>& walls) const;
  /// Likewise; returns how far each end of the ray may move, in metres, while the crossings lose the same, or
  /// kMostLossDb and more as before: a lower bound, 0 when there are crossings whose loss depends on thickness and
  /// angle.
  double append_lasting_crossings(const Segment& ray, std::vector<WallCrossing>& walls) const;
  /// The prisms whose crossings append_crossings() appends, in the same order.
  [[nodiscard]] std::vector<std::uint32_t> crossed(const Segment& ray) const;

 private:
  struct Square {
    std::int32_t column = 0;
    std::int32_t row = 0;
    friend bool operator==(const Square&, const Square&) = default;
  };
  /// Of a prism: its extent, and the squares that it touches, with some ground around it.
  struct Extent {
    double west = 0, south = 0, east = 0, north = 0;  // m
    bool is_convex = false;
    Square first;
    Square last;
  };
  struct View;

  void walk(View& view) const;
  void lay_squares();
  void list_prisms();
  [[nodiscard]] Square square_of(double x, double y) const;
  [[nodiscard]] std::size_t index_of(const Square& square) const {
    return static_cast<std::size_t>(square.row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(square.column);
  }
  void visit_square(const Square& square, const Square& before, View& view) const;
  void visit_prism(std::size_t number, View& view) const;

  std::vector<Prism> prisms_;
  std::vector<Extent> extents_;
  double west_ = 0, south_ = 0, edge_ = 1;  // of the squares, m
  std::int32_t columns_ = 0, rows_ = 0;
  double highest_ = 0;                 // m
  std::vector<std::uint32_t> begins_;  // by square: of listed_; one more at the end
  std::vector<std::uint32_t> listed_;  // prisms
  std::vector<double> tops_;           // by square: of the highest prism, m
};

}  // namespace hilgate

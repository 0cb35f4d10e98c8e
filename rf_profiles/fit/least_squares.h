// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace hilgate {

/// Linear least squares of up to four coefficients by the normal equations, as sums that can be added and subtracted,
/// so that a fit without some rows needs no other pass over the remaining ones.
class LeastSquares {
 public:
  static constexpr std::size_t kMost = 4;
  using Row = std::array<double, kMost>;

  /// 1 to kMost coefficients.
  explicit LeastSquares(std::size_t coefficients) : size_(coefficients) {}

  void add(const Row& row, double value);
  LeastSquares& operator+=(const LeastSquares& other);
  LeastSquares& operator-=(const LeastSquares& other);
  [[nodiscard]] double rows() const { return rows_; }
  /// The coefficients, 0 where there are none; nothing where the rows do not determine all of them.
  [[nodiscard]] std::optional<Row> solve() const;

 private:
  std::size_t size_;
  double rows_ = 0;
  std::array<Row, kMost> products_{};
  Row values_{};
};

/// What the coefficients make of a row.
double dot(const LeastSquares::Row& coefficients, const LeastSquares::Row& row);

}  // namespace hilgate

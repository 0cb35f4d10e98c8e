// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/least_squares.h"

#include <cmath>

namespace hilgate {

void LeastSquares::add(const Row& row, double value) {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      products_[i][j] += row[i] * row[j];
    }
    values_[i] += row[i] * value;
  }
  rows_ += 1;
}

LeastSquares& LeastSquares::operator+=(const LeastSquares& other) {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      products_[i][j] += other.products_[i][j];
    }
    values_[i] += other.values_[i];
  }
  rows_ += other.rows_;
  return *this;
}

LeastSquares& LeastSquares::operator-=(const LeastSquares& other) {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      products_[i][j] -= other.products_[i][j];
    }
    values_[i] -= other.values_[i];
  }
  rows_ -= other.rows_;
  return *this;
}

// Gauss's elimination. A pivot that is lost in the rounding of its own diagonal means columns that depend on one
// another.
std::optional<LeastSquares::Row> LeastSquares::solve() const {
  constexpr double kLost = 1e-9;
  if (rows_ < static_cast<double>(size_)) {
    return std::nullopt;
  }
  std::array<Row, kMost> left = products_;
  Row right = values_;
  for (std::size_t i = 0; i < size_; ++i) {
    if (!(left[i][i] > kLost * products_[i][i])) {
      return std::nullopt;
    }
    for (std::size_t k = i + 1; k < size_; ++k) {
      const double factor = left[k][i] / left[i][i];
      for (std::size_t j = i; j < size_; ++j) {
        left[k][j] -= factor * left[i][j];
      }
      right[k] -= factor * right[i];
    }
  }
  Row solution{};
  for (std::size_t i = size_; i-- > 0;) {
    double sum = right[i];
    for (std::size_t j = i + 1; j < size_; ++j) {
      sum -= left[i][j] * solution[j];
    }
    solution[i] = sum / left[i][i];
  }
  return solution;
}

double dot(const LeastSquares::Row& coefficients, const LeastSquares::Row& row) {
  double sum = 0;
  for (std::size_t i = 0; i < LeastSquares::kMost; ++i) {
    sum += coefficients[i] * row[i];
  }
  return sum;
}

}  // namespace hilgate

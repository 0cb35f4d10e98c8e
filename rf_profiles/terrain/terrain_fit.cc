// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/terrain_fit.h"

#include <cmath>
#include <cstddef>

namespace hilgate {

HeightLine fit_line(std::span<const double> height_m, double from, double to) {
  const std::size_t last = height_m.size() - 1;
  const auto end = static_cast<double>(last);
  auto begin_at = static_cast<std::size_t>(std::fdim(from, 0.0));
  std::size_t end_at = last - static_cast<std::size_t>(std::fdim(end, to));
  if (end_at <= begin_at) {
    begin_at = begin_at == 0 ? 0 : begin_at - 1;
    end_at = end_at < last ? end_at + 1 : last;
  }
  const auto length = static_cast<double>(end_at - begin_at);
  const double middle = static_cast<double>(begin_at) + length / 2;
  double sum = 0;
  double moment = 0;
  for (std::size_t i = begin_at; i <= end_at; ++i) {
    const double weight = i == begin_at || i == end_at ? 0.5 : 1;
    sum += weight * height_m[i];
    moment += weight * height_m[i] * (static_cast<double>(i) - middle);
  }
  const double mean = sum / length;
  const double slope = 12 * moment / ((length * length + 2) * length);
  return {mean - slope * middle, mean + slope * (end - middle)};
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/clock/terminal_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hilgate {
namespace {

// 1, 2 or 5 times a power of ten: the next that is not below.
double round_scale(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(value, 1e-9))));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power) {
      return step * power;
    }
  }
  return 10 * power;
}

}  // namespace

std::string plot(const std::deque<double>& values, std::size_t width, std::size_t height, const std::string& unit) {
  double largest = 1;
  const std::size_t shown = std::min(width, values.size());
  for (std::size_t i = values.size() - shown; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(values[i]));
  }
  const double scale = round_scale(largest);
  const auto middle = static_cast<double>(height - 1) / 2;
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    const double at = height > 1 ? (middle - static_cast<double>(row)) / middle * scale : 0;
    text += fmt::format("{:>+10.0f} {} |", at, unit);
    for (std::size_t i = values.size() - shown; i < values.size(); ++i) {
      const auto place = static_cast<std::size_t>(std::lround(middle - values[i] / scale * middle));
      text += place == row ? '*' : (row == height / 2 ? '-' : ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace hilgate

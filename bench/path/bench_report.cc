// SPDX-License-Identifier: Apache-2.0
#include "bench/path/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hilgate {

void print_bars(std::string_view title, const std::vector<BenchBar>& bars) {
  constexpr double kLongest = 30;
  double largest = 0;
  std::size_t name = 0;
  std::size_t text = 0;
  for (const BenchBar& bar : bars) {
    largest = std::max(largest, bar.value);
    name = std::max(name, bar.name.size());
    text = std::max(text, bar.text.size());
  }
  fmt::print("{}\n", title);
  for (const BenchBar& bar : bars) {
    const auto length = static_cast<std::size_t>(largest > 0 ? kLongest * bar.value / largest + 0.5 : 0);
    std::string blocks;
    for (std::size_t i = 0; i < length; ++i) {
      blocks += "\u2588";
    }
    fmt::print("  {:<{}}  {:>{}}  {}\n", bar.name, name, bar.text, text, blocks);
  }
}

std::string with_prefix(double value) {
  constexpr std::array<std::string_view, 4> kPrefixes{"", "k", "M", "G"};
  std::size_t prefix = 0;
  for (; value >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix) {
    value /= 1000;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kPrefixes[prefix]);
}

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump());
}

}  // namespace hilgate

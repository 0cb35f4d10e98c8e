// SPDX-License-Identifier: Apache-2.0
// What benches print: figures for people with bars to compare them by, or one JSON object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hilgate {

struct BenchBar {
  std::string name;
  double value;
  std::string text;  // the value with its unit
};

/// Rows with bars as long as the values, the largest 30 characters.
void print_bars(std::string_view title, const std::vector<BenchBar>& bars);

/// "12.3 M": three digits and a decimal prefix.
std::string with_prefix(double value);

/// The object on a line of standard output.
void print_json(const nlohmann::ordered_json& json);

}  // namespace hilgate

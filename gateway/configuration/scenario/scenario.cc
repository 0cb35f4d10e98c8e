// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace hilgate {
namespace {

std::pair<double, std::string> number_and_unit(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) {
    throw std::invalid_argument(
        fmt::format("'{}' does not begin with a number; a ramp needs one, as 10ms or 5 %", text));
  }
  return {number, std::string(text.substr(static_cast<std::size_t>(end - text.data())))};
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first);
}

}  // namespace

Ramp Ramp::between(std::string_view key, std::string_view from, std::string_view to) {
  const auto [first, unit] = number_and_unit(from);
  const auto [last, other] = number_and_unit(to);
  if (without_blanks(unit) != without_blanks(other)) {
    throw std::invalid_argument(fmt::format("goes from '{}' to '{}'; give both in one unit", from, to));
  }
  return {.key = std::string(key), .from = first, .to = last, .unit = unit};
}

std::string Ramp::assignment(double share) const {
  return fmt::format("{}={:.9g}{}", key, from + (to - from) * share, unit);
}

std::vector<std::string> ScenarioStep::values(std::uint64_t time) const {
  std::vector<std::string> values = set;
  for (const Ramp& ramp : ramps) {
    values.push_back(ramp.assignment(times > 1 ? static_cast<double>(time) / static_cast<double>(times - 1) : 1.0));
  }
  return values;
}

std::string LinkChoice::text() const {
  if (!from && !to) {
    return "all links";
  }
  return fmt::format("{} > {}", from.value_or("*"), to.value_or("*"));
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "config/plain_text.h"

namespace hilgate {
namespace {

std::pair<double, std::string> number_and_unit(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) {
    throw std::invalid_argument(
        fmt::format("'{}' does not begin with a number; a ramp needs one, as 10ms or 5 %", shown(text)));
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

// Steps and expectations in a line.

namespace hilgate {
namespace {

std::string span_text(Nanoseconds span) {
  return fmt::format("{:.9g} s", std::chrono::duration<double>(span).count());
}

std::string reasons_text(std::string_view what, const std::vector<DropReason>& reasons) {
  std::string text;
  for (const DropReason reason : reasons) {
    text += fmt::format("{} {}", text.empty() ? what : ",", name(reason));
  }
  return text;
}

}  // namespace

std::string ScenarioStep::text() const {
  std::vector<std::string> parts;
  if (!mark.empty()) {
    parts.push_back("mark " + mark);
  }
  for (const std::string& each : set) {
    parts.push_back(each.ends_with('=') ? "remove " + each.substr(0, each.size() - 1) : each);
  }
  for (const Ramp& ramp : ramps) {
    parts.push_back(
        fmt::format("{}: {:g}{unit} to {:g}{unit}", ramp.key, ramp.from, ramp.to, fmt::arg("unit", ramp.unit)));
  }
  for (const std::string& each : reset) {
    parts.push_back(each + " as it was");
  }
  if (pause) {
    parts.push_back("pause for " + span_text(*pause));
  }
  std::string text = fmt::format("{}", fmt::join(parts, "; "));
  if (lasts) {
    text += ", for " + span_text(*lasts);
  }
  if (!ramps.empty()) {
    text += ", within " + span_text(period * static_cast<std::int64_t>(times - 1));
  } else if (times > 1) {
    text += fmt::format(", {} times, each {}", times, span_text(period));
  }
  return text;
}

std::string Expectation::text() const {
  switch (kind) {
    case Kind::kLoss:
      return fmt::format("loss of {}: {}", links.text(), bounds);
    case Kind::kRate:
      return fmt::format("rate of {}: {}", links.text(), bounds);
    case Kind::kReachable:
      return fmt::format("{}: {} in reach", links.text(),
                         reach == Reach::kAlways  ? "always"
                         : reach == Reach::kNever ? "never"
                                                  : "once");
    case Kind::kDrops: {
      const std::string without = reasons_text("no", absent);
      const std::string with = reasons_text("some", present);
      return fmt::format("drops of {}: {}{}{}", links.text(), without, without.empty() || with.empty() ? "" : "; ",
                         with);
    }
    case Kind::kDelay:
      return fmt::format("delay of {}, {:g} %: {}", links.text(), share * 100, bounds);
    case Kind::kHandover:
      return fmt::format("handover of {} to {}{}", robot, access_point.value_or("any"),
                         within ? ", without association no longer than " + span_text(*within) : "");
  }
  return {};
}

Scenario Scenario::later(Nanoseconds by) const {
  Scenario later = *this;
  later.end += by;
  for (ScenarioStep& step : later.steps) {
    step.at += by;
  }
  for (Expectation& expectation : later.expectations) {
    expectation.from += by;
    expectation.until += by;
  }
  return later;
}

}  // namespace hilgate

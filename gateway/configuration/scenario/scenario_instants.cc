// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario_instants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <stdexcept>
#include <vector>

#include "config/plain_text.h"
#include "config/quantity.h"

namespace hilgate {
namespace {

Nanoseconds span_of(std::string_view text) {
  const auto span = parse_text<Nanoseconds>(text);
  if (span < Nanoseconds{0} || span > ScenarioInstants::kLatest) {
    throw std::invalid_argument(fmt::format("'{}' is out of range; allowed: 0s to 8760h", shown(text)));
  }
  return span;
}

}  // namespace

void ScenarioInstants::take_marks(std::vector<YamlReader>& steps) {
  for (YamlReader& step : steps) {
    const auto is_text = [&step](std::string_view key) { return step.has(key) && step.child(key).is_scalar(); };
    if (!step.is_map() || !is_text("mark") || !is_text("at")) {
      continue;
    }
    try {
      marks_.emplace(step.required<std::string>("mark"), of(step.required<std::string>("at")));
    } catch (const std::invalid_argument&) {  // the step's own fault
      continue;
    }
  }
}

Nanoseconds ScenarioInstants::of(std::string_view text) const {
  const auto plus = text.find('+');
  const std::string_view mark = trimmed(text.substr(0, plus), " ");
  if (mark.empty() || std::isalpha(static_cast<unsigned char>(mark.front())) == 0) {
    return span_of(text);
  }
  const auto known = marks_.find(mark);
  if (known == marks_.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, at] : marks_) {
      names.push_back(name);
    }
    throw std::invalid_argument(
        fmt::format("'{}' is neither a time, as 2s, nor a mark of a step before; {}", shown(text),
                    names.empty() ? "there is no mark" : fmt::format("marks: {}", fmt::join(names, ", "))));
  }
  return known->second +
         (plus != std::string_view::npos ? span_of(trimmed(text.substr(plus + 1), " ")) : Nanoseconds{0});
}

std::optional<Nanoseconds> ScenarioInstants::read(YamlReader& node) const {
  const auto text = node.as<std::string>();
  if (!node.is_scalar()) {
    return std::nullopt;
  }
  try {
    return of(text);
  } catch (const std::invalid_argument& error) {
    node.fault(error.what());
    return std::nullopt;
  }
}

std::optional<Nanoseconds> ScenarioInstants::read(YamlReader& map, std::string_view key) const {
  if (!map.has(key)) {
    return std::nullopt;
  }
  YamlReader node = map.child(key);
  return read(node);
}

}  // namespace hilgate

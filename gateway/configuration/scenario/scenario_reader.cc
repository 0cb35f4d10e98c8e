// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/quantity.h"
#include "gateway/configuration/scenario/eel.h"

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

namespace {

// All that has a time of its own.
Nanoseconds end_of(const Scenario& scenario) {
  Nanoseconds end{0};
  for (const ScenarioStep& step : scenario.steps) {
    end = std::max(end, step.end());
  }
  for (const Expectation& expectation : scenario.expectations) {
    end = std::max(end, expectation.until);
  }
  return end;
}

Scenario scenario_of(const std::string& text, const std::string& file, const ScenarioSetting& setting) {
  if (is_eel(text)) {
    throw ConfigError({{file, 0, "",
                        "is an event log of EMANE (EEL), not a scenario; make one of it with `hilgate scenario import "
                        "FILE > SCENARIO.yaml`"}});
  }
  YamlDocument document = YamlDocument::parse(text, file);
  YamlReader root = document.root();
  Scenario scenario = read_scenario(root, setting);
  document.finish([&setting](YamlDocument& other) {
    YamlReader again = other.root();
    read_scenario(again, setting);
  });
  return scenario;
}

}  // namespace

Scenario read_scenario(YamlReader& map, const ScenarioSetting& setting) {
  Scenario scenario{.file = map.file()};
  std::vector<YamlReader> steps = map.items("steps");
  std::vector<YamlReader> expectations = map.items("expect");
  ScenarioInstants instants;
  instants.take_marks(steps);
  const auto end = instants.read(map, "end");
  for (YamlReader& step : steps) {
    scenario.steps.push_back(read_step(step, instants, setting, end));
  }
  for (YamlReader& item : expectations) {
    scenario.expectations.push_back(read_expectation(item, instants, setting));
  }
  scenario.end = end.value_or(end_of(scenario));
  if (scenario.end <= Nanoseconds{0}) {
    map.fault("has no end; give `end`, or steps or expectations that last until one");
  }
  for (Expectation& expectation : scenario.expectations) {
    expectation.until = expectation.until > Nanoseconds{0} ? expectation.until : scenario.end;
  }
  for (std::size_t i = 0; i < scenario.expectations.size(); ++i) {
    if (scenario.expectations[i].until > scenario.end) {
      expectations[i].fault("during", "lasts longer than the scenario, which ends at `end`");
    }
  }
  return scenario;
}

Scenario load_scenario(const std::string& file, const ScenarioSetting& setting) {
  return scenario_of(read_config_file(file, kMostOfScenario), file, setting);
}

Scenario parse_scenario(const std::string& text, const std::string& file, const ScenarioSetting& setting) {
  return scenario_of(text, file, setting);
}

}  // namespace hilgate

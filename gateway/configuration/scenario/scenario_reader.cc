// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario_reader.h"

#include <algorithm>
#include <utility>

#include "config/config_file.h"
#include "gateway/configuration/scenario/eel.h"

namespace hilgate {
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

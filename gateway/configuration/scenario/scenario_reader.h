// SPDX-License-Identifier: Apache-2.0
// From YAML to a Scenario. docs/how-to/scenarios.md shows every key. Values of `set` are checked by the owner of the
// configuration (gateway/daemon/scenario_check.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/yaml_reader.h"
#include "gateway/configuration/scenario/scenario.h"
#include "gateway/configuration/scenario/scenario_instants.h"

namespace hilgate {

/// What a scenario may refer to.
struct ScenarioSetting {
  std::vector<std::string> robots;  // and their radios, by robot_names()
  std::vector<std::string> access_points{};
  bool can_pause = false;       // simulation time can
  bool measures_delay = false;  // the host's clock measures how long frames were under way
};

/// Reads a map with `end`, `steps` and `expect`; faults stay in its document.
Scenario read_scenario(YamlReader& map, const ScenarioSetting& setting);

/// Bytes of a file of its own; the tree that is made of it takes about forty times as many.
inline constexpr std::size_t kMostOfScenario = std::size_t{256} << 20;

/// Reads and checks a file of its own, of at most kMostOfScenario. Throws ConfigError with every fault in it.
Scenario load_scenario(const std::string& file, const ScenarioSetting& setting);

/// The same for a text; `file` only names it in faults.
Scenario parse_scenario(const std::string& text, const std::string& file, const ScenarioSetting& setting);

/// An item of `steps:`; `end`: where known, of the scenario.
ScenarioStep read_step(YamlReader& item, const ScenarioInstants& instants, const ScenarioSetting& setting,
                       std::optional<Nanoseconds> end);

/// An item of `expect:`; without a time of its own it is about all of the scenario, which lasts until `end`.
Expectation read_expectation(YamlReader& item, const ScenarioInstants& instants, const ScenarioSetting& setting);

}  // namespace hilgate

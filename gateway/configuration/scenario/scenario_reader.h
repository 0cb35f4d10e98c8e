// SPDX-License-Identifier: Apache-2.0
// From YAML to a Scenario. docs/how-to/scenarios.md shows every key. Values of `set` are checked by the owner of the
// configuration (gateway/daemon/scenario_check.h).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "config/yaml_reader.h"
#include "gateway/configuration/scenario/scenario.h"

namespace hilgate {

/// Instants of a scenario as people write them: a time since the start of the run (2s), the name of a mark, or a time
/// after a mark (cut + 2s).
class ScenarioInstants {
 public:
  static constexpr Nanoseconds kLatest = std::chrono::hours(8760);

  /// Takes the marks of `steps:` in; faults are left to the reader of the steps.
  void take_marks(std::vector<YamlReader>& steps);
  /// Throws std::invalid_argument for an invalid instant.
  [[nodiscard]] Nanoseconds of(std::string_view text) const;
  /// The scalar itself, or under `key`; a fault and nothing when it is no instant.
  [[nodiscard]] std::optional<Nanoseconds> read(YamlReader& node) const;
  [[nodiscard]] std::optional<Nanoseconds> read(YamlReader& map, std::string_view key) const;

 private:
  std::map<std::string, Nanoseconds, std::less<>> marks_;
};

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "clock/time.h"
#include "config/yaml_reader.h"

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

}  // namespace hilgate

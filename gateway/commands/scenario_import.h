// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hilgate {

struct ScenarioImportOptions {
  std::filesystem::path file;
  std::vector<std::string> robots;  // NEM=ROBOT each
};

/// `hilgate scenario import`: prints an EMANE event log as a scenario, and what it leaves out on standard error.
/// Returns the exit status. Throws ConfigError for lines that are no events, std::invalid_argument for robots that are
/// none.
int scenario_import_command(const ScenarioImportOptions& options);

}  // namespace hilgate

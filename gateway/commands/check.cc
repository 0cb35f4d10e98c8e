// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/check.h"

#include <fmt/format.h>

#include "gateway/commands/live_check.h"
#include "gateway/configuration/reader/configuration_warnings.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/daemon/simulation/simulation.h"

namespace hilgate {
namespace {

/// What only shows when the models are built: faults within profiles, radios that do not go together.
void try_models(const Configuration& configuration) {
  try {
    make_simulation(configuration);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw ConfigError({{configuration.file.string(), 0, "", error.what()}});
  }
}

}  // namespace

int check_command(const CheckOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  try_models(configuration);
  if (options.live) {
    if (auto faults = live_faults(configuration); !faults.empty()) {
      throw ConfigError(std::move(faults));
    }
  }
  for (const std::string& text : warnings(configuration)) {
    fmt::print(stderr, "warning: {}\n", text);
  }
  fmt::print("{}: valid: run '{}', {} robots on {} ports\n", options.file.string(), configuration.name,
             configuration.robots.size(), configuration.ports.size());
  return 0;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/check.h"

#include <fmt/format.h>

#include "gateway/known_names.h"
#include "gateway/live_check.h"

namespace hilgate {

int check_command(const CheckOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  if (options.live) {
    if (auto faults = live_faults(configuration); !faults.empty()) {
      throw ConfigError(std::move(faults));
    }
  }
  fmt::print("{}: good: run '{}', {} robots on {} ports\n", options.file.string(), configuration.name,
             configuration.robots.size(), configuration.ports.size());
  return 0;
}

}  // namespace hilgate

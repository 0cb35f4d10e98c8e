// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/run.h"

#include "gateway/commands/live_check.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/daemon/daemon.h"
#include "gateway/daemon/log/journal.h"

namespace hilgate {

int run_command(const RunOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  log_to_journal(configuration.name);
  if (auto faults = live_faults(configuration); !faults.empty()) {
    throw ConfigError(std::move(faults));
  }
  Daemon daemon(configuration);
  daemon.run();
  return 0;
}

}  // namespace hilgate

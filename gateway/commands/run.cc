// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/run.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/commands/live_check.h"
#include "gateway/commands/other_runs.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/daemon/daemon.h"
#include "gateway/daemon/scenario_check.h"
#include "gateway/ros2/ros2_process.h"
#include "gateway/web/web_process.h"
#include "host/log/journal.h"
#include "host/real_time.h"
#include "hw/doctor/doctor.h"

namespace hilgate {
namespace {

// What cannot be opened may be another gateway's: then the configuration is at fault, and trying again does not help.
std::unique_ptr<Daemon> open_daemon(RunStart start, const RunIdentity& identity) {
  const Configuration configuration = start.configuration;
  try {
    return std::make_unique<Daemon>(std::move(start), identity);
  } catch (const std::runtime_error& error) {
    auto faults = taken_by_other_runs(configuration);
    if (faults.empty()) {
      throw;
    }
    for (Fault& fault : faults) {
      fault.text += fmt::format(" ({})", error.what());
    }
    throw ConfigError(std::move(faults));
  }
}

std::set<unsigned> packet_processors(const Configuration& configuration) {
  std::set<unsigned> cpus;
  for (const CoreConfig& core : configuration.cores) {
    if (core.cpu) {
      cpus.insert(*core.cpu);
    }
  }
  return cpus;
}

// Before the run has threads and memory of its own.
std::unique_ptr<WebProcess> start_page(const Configuration& configuration) {
  if (!configuration.web) {
    return nullptr;
  }
  return std::make_unique<WebProcess>(WebPage{.config = *configuration.web,
                                              .control_socket = control_socket(configuration.name).string(),
                                              .profile_folders = profile_folders(configuration.profile_paths)},
                                      packet_processors(configuration));
}

}  // namespace

int run_command(const RunOptions& options) {
  Configuration configuration = load_configuration(options.file, known_names());
  if (!options.scenario.empty()) {
    configuration.scenario = load_scenario_for(configuration, options.scenario);
  }
  check_scenario(configuration, known_names());
  log_to_journal(configuration.name);
  if (auto faults = host_faults(configuration); !faults.empty()) {
    throw ConfigError(std::move(faults));
  }
  const RunIdentity identity{.version = options.version, .host = [] { return findings_json(examine_host(nullptr)); }};
  const auto page = start_page(configuration);
  const auto ros2 = start_ros2(configuration, packet_processors(configuration));
  const std::unique_ptr<Daemon> daemon = open_daemon(
      options.from ? start_at(configuration, *options.from, known_names()) : start_of(configuration), identity);
  if (configuration.real_time) {
    run_in_real_time(pthread_self(), kControlPriority);  // this thread is the control thread from now on
  }
  daemon->run();
  const std::vector<std::string> failures = daemon->failures();
  for (const std::string& failure : failures) {
    log_failure(failure);  // begins with file:line, as editors like it
  }
  return failures.empty() ? 0 : 1;
}

}  // namespace hilgate

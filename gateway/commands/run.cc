// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/commands/live_check.h"
#include "gateway/commands/other_runs.h"
#include "gateway/commands/site_process.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/daemon/daemon.h"
#include "gateway/daemon/scenario_check.h"
#include "gateway/daemon/site_files.h"
#include "gateway/run/planes/configured_site.h"
#include "gateway/site/site_meeting.h"
#include "gateway/views/ros2/ros2_process.h"
#include "gateway/views/web/web_process.h"
#include "host/log/journal.h"
#include "host/processors.h"
#include "host/real_time.h"
#include "hw/doctor/doctor.h"
#include "rf_profiles/profile/profile_loader.h"

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

void check_gateway(const Configuration& configuration) {
  if (configuration.site && own_gateway(configuration) == nullptr) {
    throw ConfigError({{configuration.file.string(), 0, "--gateway",
                        fmt::format("is missing: the file describes a site; this machine is one of its gateways: {}",
                                    fmt::join(names_of(configuration.site->gateways), ", "))}});
  }
}

RunStart begin(const Configuration& configuration, const RunOptions& options, const KnownNames& known) {
  if (options.from) {
    return start_at(configuration, *options.from, known);
  }
  if (!configuration.site) {
    return start_of(configuration);
  }
  const auto begun = meet_site(site_terms(configuration));
  return begun ? start_in_site(configuration, *begun) : start_of(configuration);
}

}  // namespace

int run_command(const RunOptions& options) {
  const KnownNames known = known_names(options.gateway);
  Configuration configuration = load_configuration(options.file, known);
  check_gateway(configuration);
  if (configuration.site) {
    configuration.site->digest = files_digest(configuration, ConfigDocument::load(configuration.file));
    configuration.site->version = options.version;
  }
  if (!options.scenario.empty()) {
    configuration.scenario = load_scenario_for(configuration, options.scenario);
  }
  check_scenario(configuration, known);
  log_to_journal(configuration.name);
  if (auto faults = host_faults(configuration); !faults.empty()) {
    throw ConfigError(std::move(faults));
  }
  const RunIdentity identity{.version = options.version, .host = [] { return findings_json(examine_host(nullptr)); }};
  const auto page = start_page(configuration);
  const auto ros2 = start_ros2(configuration, packet_processors(configuration));
  SiteProcess site = start_site(configuration, packet_processors(configuration));
  stay_off(packet_processors(configuration));  // all but the loops that are pinned to them
  RunStart start = begin(configuration, options, known);
  start.site_bus = std::move(site.socket);
  const std::unique_ptr<Daemon> daemon = open_daemon(std::move(start), identity);
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

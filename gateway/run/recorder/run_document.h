// SPDX-License-Identifier: Apache-2.0
// What a record keeps of a run in addition to its events: the folder with the files that it was made from.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/record/run_layout.h"
#include "gateway/run/simulation/simulation.h"

namespace hilgate {

/// What the program reports about itself and its host.
struct RunIdentity {
  std::string version{};
  std::function<nlohmann::ordered_json()> host{};  // the doctor's view; empty: not examined
};

/// A new folder NAME-TIME under `parent`, for a run that begins at `utc`. Throws std::system_error.
std::filesystem::path make_record_folder(const std::filesystem::path& parent, const std::string& run, Nanoseconds utc);

/// "20261123T024100Z"
std::string compact_time(Nanoseconds utc);

/// The files that a run is made from.
struct RunSources {
  const Configuration& configuration;
  std::string text;                    // of the configuration's file
  std::vector<Configuration> later{};  // what its scenario makes of it
};

/// Copies them to `folder`: configuration.yaml, profiles/, and under run-files/ what these name (FileKeeper). Returns
/// FileKeeper::kept(). Throws std::system_error.
std::map<std::string, std::string> keep_sources(const RunSources& sources, const std::filesystem::path& folder);

/// The message of the topic /run. `kept`: of keep_sources().
nlohmann::ordered_json run_document(const RunSources& sources, const RunIdentity& identity, Nanoseconds utc,
                                    const std::map<std::string, std::string>& kept);

/// The names of the numbers in link tables and counters.
RunLayout layout_of(const Configuration& configuration, const AirPlan& air);

}  // namespace hilgate

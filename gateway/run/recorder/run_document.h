// SPDX-License-Identifier: Apache-2.0
// What a record keeps of a run in addition to its events: the folder with the files that it was made from.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
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
  std::vector<Configuration> later{};  // scenario_configurations()
};

/// Copies them to `folder`: configuration.yaml, profiles/, and under run-files/ what these name (FileKeeper). Returns
/// FileKeeper::kept(). Throws std::system_error.
std::map<std::string, std::string> keep_sources(const RunSources& sources, const std::filesystem::path& folder);

/// The message of the topic /run. `kept`: of keep_sources().
nlohmann::ordered_json run_document(const RunSources& sources, const RunIdentity& identity, Nanoseconds utc,
                                    const std::map<std::string, std::string>& kept);

/// The names of the numbers in link tables and counters.
RunLayout layout_of(const Configuration& configuration, const AirPlan& air);

// The files that a run is made from, kept next to its record, so that it can be read and replayed anywhere.

/// Files of the profiles that robots and access points have, by name.
std::map<std::string, std::string> profile_files(const Configuration& configuration);

/// Tells files apart that somebody has changed: FNV-1a of 64 bits, as hexadecimal digits. Of a file that cannot be read
/// it is that of an empty one.
std::string file_digest(const std::filesystem::path& file);

/// Copies into one folder. What a file there names is found where kept_path() says. Not kept are keys of sites and
/// tokens of web pages.
class FileKeeper {
 public:
  explicit FileKeeper(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The profiles as profiles/NAME.yaml, and all that the configuration names: profiles where it names their folder,
  /// positions, traces, floor plans with their pictures and surveys, recorded runs, its scenario; and what profiles
  /// name. Throws std::system_error and std::runtime_error.
  void keep(const Configuration& configuration);

  /// file_digest() of what is kept so far, by its path in the folder, but for recorded runs and surveys: those are
  /// large.
  [[nodiscard]] const std::map<std::string, std::string>& kept() const { return kept_; }

 private:
  void keep_profile(const std::string& file, const std::filesystem::path& to);
  void keep_map(const std::filesystem::path& file, const std::filesystem::path& to);
  /// A file, or the record in a folder. False where it has been kept before.
  bool copy(const std::filesystem::path& file, const std::filesystem::path& to);

  std::filesystem::path folder_;
  std::map<std::string, std::string> kept_;
};

}  // namespace hilgate

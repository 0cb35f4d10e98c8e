// SPDX-License-Identifier: Apache-2.0
// The files that a run is made from, kept next to its record, so that it can be read and replayed anywhere.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "gateway/configuration/configuration.h"

namespace hilgate {

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

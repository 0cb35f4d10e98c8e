// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/recorder/kept_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <span>

#include "gateway/configuration/reader/installed_names.h"
#include "gateway/record/record_reader.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {
namespace {

bool is_map(const Configuration& configuration, const std::filesystem::path& file) {
  const auto* const embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  return embedded != nullptr && embedded->map == file;
}

}  // namespace

std::string file_digest(const std::filesystem::path& file) {
  constexpr std::uint64_t kBasis = 14695981039346656037ULL;
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  std::ifstream in(file, std::ios::binary);
  std::uint64_t digest = kBasis;
  for (std::array<char, 65536> part{}; in.read(part.data(), part.size()) || in.gcount() > 0;) {
    for (const char byte : std::span(part).first(static_cast<std::size_t>(in.gcount()))) {
      digest = (digest ^ static_cast<std::uint8_t>(byte)) * kPrime;
    }
  }
  return fmt::format("{:016x}", digest);
}

std::map<std::string, std::string> profile_files(const Configuration& configuration) {
  std::map<std::string, std::string> files;
  const auto folders = profile_folders(configuration.profile_paths);
  const auto add = [&](const std::string& profile) {
    if (!profile.empty()) {
      files.try_emplace(profile, find_radio_profile(profile, folders));
    }
  };
  for (const RobotConfig& robot : configuration.robots) {
    add(robot.radio);
  }
  if (const AccessNetworkConfig* network = access_network(configuration)) {
    for (const AccessPointConfig& point : network->access_points) {
      add(point.radio);
    }
  }
  return files;
}

void FileKeeper::keep(const Configuration& configuration) {
  const auto profiles = profile_files(configuration);
  for (const auto& [name, file] : profiles) {
    keep_profile(file, folder_ / "profiles" / (name + ".yaml"));
  }
  for (const FileReference& reference : configuration.references) {
    const std::filesystem::path to = folder_ / kept_path(reference.name);
    if (std::ranges::find(configuration.profile_paths, reference.file) != configuration.profile_paths.end()) {
      std::filesystem::create_directories(to);
      for (const auto& [name, file] : profiles) {
        if (std::filesystem::path(file).parent_path() == reference.file) {
          keep_profile(file, to / (name + ".yaml"));
        }
      }
    } else if (is_map(configuration, reference.file)) {
      keep_map(reference.file, to);
    } else {
      copy(reference.file, to);
    }
  }
}

void FileKeeper::keep_profile(const std::string& file, const std::filesystem::path& to) {
  if (!copy(file, to)) {
    return;
  }
  for (const FileReference& reference : load_radio_profile(file).references) {
    copy(reference.file, to.parent_path() / kept_path(reference.name));
  }
}

// A map's picture and survey, or the maps of floors.
void FileKeeper::keep_map(const std::filesystem::path& file, const std::filesystem::path& to) {
  if (!copy(file, to)) {
    return;
  }
  const bool has_floors = maps_of(file.string()) != std::vector{file.string()};
  for (const FileReference& reference : map_references(file.string())) {
    const std::filesystem::path its = to.parent_path() / kept_path(reference.name);
    if (has_floors) {
      keep_map(reference.file, its);
    } else {
      copy(reference.file, its);
    }
  }
  if (const std::filesystem::path survey = survey_file_of(file.string()); std::filesystem::exists(survey)) {
    std::filesystem::copy_file(survey, survey_file_of(to.string()), std::filesystem::copy_options::skip_existing);
  }
}

bool FileKeeper::copy(const std::filesystem::path& file, const std::filesystem::path& to) {
  if (std::filesystem::exists(to) || !std::filesystem::exists(file)) {  // a simulator may write it only later
    return false;
  }
  if (std::filesystem::is_directory(file)) {
    std::filesystem::create_directories(to);
    std::filesystem::copy_file(record_file(file), to / kRecordFile);
    return true;
  }
  std::filesystem::create_directories(to.parent_path());
  std::filesystem::copy_file(file, to);
  kept_[to.lexically_relative(folder_).string()] = file_digest(to);
  return true;
}

}  // namespace hilgate

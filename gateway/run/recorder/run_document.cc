// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/recorder/run_document.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "config/config_file.h"
#include "frame/drop_reason.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/record/record_reader.h"
#include "host/shared_files.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {
namespace {

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) {
    throw std::system_error(errno, std::generic_category(), file.string());
  }
}

nlohmann::ordered_json host_document(const RunIdentity& identity) {
  utsname names{};
  ::uname(&names);
  nlohmann::ordered_json host{{"name", names.nodename},
                              {"kernel", fmt::format("{} {}", names.sysname, names.release)},
                              {"machine", names.machine}};
  if (identity.host) {
    host["doctor"] = identity.host();
  }
  return host;
}

}  // namespace

std::string compact_time(Nanoseconds utc) {
  const auto seconds = static_cast<std::time_t>(std::chrono::duration_cast<std::chrono::seconds>(utc).count());
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(seconds));
}

std::filesystem::path make_record_folder(const std::filesystem::path& parent, const std::string& run, Nanoseconds utc) {
  make_group_folders(parent);
  const std::filesystem::path first = parent / fmt::format("{}-{}", run, compact_time(utc));
  std::filesystem::path folder = first;
  for (unsigned next = 2; !std::filesystem::create_directory(folder); ++next) {
    folder = fmt::format("{}-{}", first.string(), next);  // runs that begin in one second
  }
  share_with_group(folder);
  return folder;
}

std::map<std::string, std::string> keep_sources(const RunSources& sources, const std::filesystem::path& folder) {
  write_text(folder / "configuration.yaml", sources.text);
  FileKeeper keeper(folder);
  keeper.keep(sources.configuration);
  for (const Configuration& later : sources.later) {
    keeper.keep(later);
  }
  share_with_group(folder);
  return keeper.kept();
}

nlohmann::ordered_json run_document(const RunSources& sources, const RunIdentity& identity, Nanoseconds utc,
                                    const std::map<std::string, std::string>& kept) {
  const Configuration& configuration = sources.configuration;
  nlohmann::ordered_json json{{"run", configuration.name},
                              {"hilgate", identity.version},
                              {"began", compact_time(utc)},
                              {"seed", configuration.seed},
                              {"window_us", configuration.window.count() / 1000},
                              {"file", configuration.file.string()},
                              {"configuration", sources.text},
                              {"profiles", nlohmann::ordered_json::object()},
                              {"files", kept},
                              {"host", host_document(identity)}};
  for (const auto& [name, file] : profile_files(configuration)) {
    json["profiles"][name] = read_config_file(file);
  }
  return json;
}

RunLayout layout_of(const Configuration& configuration, const AirPlan& air) {
  constexpr std::uint32_t kFullFrame = 1514;
  RunLayout layout;
  for (const RobotConfig& robot : configuration.robots) {
    layout.ends.push_back(robot.name);
  }
  layout.robots = layout.ends.size();
  if (const AccessNetworkConfig* network = access_network(configuration)) {
    for (const AccessPointConfig& point : network->access_points) {
      layout.ends.push_back(point.name);
    }
  }
  for (const PhyMode& mode : air.modes) {
    layout.modes.push_back({mode.rate_bps / 1e6, mode.error_bits(kFullFrame)});
  }
  for (const DropReasonRow& reason : kDropReasonTable) {
    layout.reasons.emplace_back(reason.name);
  }
  return layout;
}

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

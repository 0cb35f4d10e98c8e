// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hilgate::gz {

/// The file or folder that a URI in an SDF file means: a path, file://PATH, or model://NAME/PATH, which is looked for
/// next to `file`, in its folder's `models`, next to its parent folders, and in the folders of GZ_SIM_RESOURCE_PATH,
/// IGN_GAZEBO_RESOURCE_PATH and SDF_PATH; or https://SERVER/1.0/OWNER/models/NAME, with a version and files/PATH where
/// they follow, of Gazebo Fuel, which is looked for where Gazebo keeps what it has downloaded: GZ_FUEL_CACHE_PATH,
/// IGN_FUEL_CACHE_PATH, ~/.gz/fuel and ~/.ignition/fuel. Empty when it is not there.
std::optional<std::filesystem::path> find_resource(const std::string& uri, const std::filesystem::path& file);

/// The SDF file of a model's folder, as its model.config names it (the last one, of the newest version), or model.sdf.
std::optional<std::filesystem::path> model_file(const std::filesystem::path& folder);

/// Which models include which, by files.
class IncludeGraph {
 public:
  /// Models are found as from `world`.
  explicit IncludeGraph(std::filesystem::path world) : world_(std::move(world)) {}

  /// Whether the model in a file includes itself, also through others.
  bool is_circular(const std::filesystem::path& file);

 private:
  const std::vector<std::filesystem::path>& includes_of(const std::filesystem::path& file);

  std::filesystem::path world_;
  std::map<std::filesystem::path, std::vector<std::filesystem::path>> includes_;  // of a file that was read
};

}  // namespace hilgate::gz

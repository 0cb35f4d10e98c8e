// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tinyxml2 {
class XMLDocument;
}

namespace hilgate::gz {

/// The file or folder that a URI in an SDF file means: a path, file://PATH, or model://NAME/PATH, which is looked for
/// next to `file`, in its folder's `models`, next to its parent folders, and in the folders of GZ_SIM_RESOURCE_PATH,
/// IGN_GAZEBO_RESOURCE_PATH and SDF_PATH; or https://SERVER/1.0/OWNER/models/NAME, with a version and files/PATH where
/// they follow, of Gazebo Fuel, which is looked for where Gazebo keeps what it has downloaded: GZ_FUEL_CACHE_PATH,
/// IGN_FUEL_CACHE_PATH, ~/.gz/fuel and ~/.ignition/fuel. Empty when it is not there.
std::optional<std::filesystem::path> find_resource(const std::string& uri, const std::filesystem::path& file);

/// The SDF file of a model's folder, as its model.config names it (the last one, of the newest version), or model.sdf.
std::optional<std::filesystem::path> model_file(const std::filesystem::path& folder);

/// Reads a file into a document. Why that is not possible; empty when it was.
std::string load_xml(const std::filesystem::path& file, tinyxml2::XMLDocument& document);

}  // namespace hilgate::gz

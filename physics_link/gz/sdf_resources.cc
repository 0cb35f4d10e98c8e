// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/sdf_resources.h"

#include <tinyxml2.h>

#include <cstdlib>
#include <sstream>
#include <vector>

#include "host/plain_file.h"

namespace hilgate::gz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> model_folders(const fs::path& file) {
  std::vector<fs::path> folders;
  const fs::path beside = fs::absolute(file).parent_path();
  for (fs::path folder = beside; folder != folder.root_path(); folder = folder.parent_path()) {
    folders.push_back(folder);
    folders.push_back(folder / "models");
  }
  for (const char* variable : {"GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH"}) {
    if (const char* value = std::getenv(variable)) {
      std::istringstream list(value);
      for (std::string folder; std::getline(list, folder, ':');) {
        folders.emplace_back(folder);
      }
    }
  }
  return folders;
}

}  // namespace

std::optional<fs::path> find_resource(const std::string& uri, const fs::path& file) {
  constexpr std::string_view kModel = "model://";
  constexpr std::string_view kFile = "file://";
  std::error_code none;
  if (uri.starts_with(kModel)) {
    for (const fs::path& folder : model_folders(file)) {
      if (fs::path found = folder / uri.substr(kModel.size()); fs::exists(found, none)) {
        return found;
      }
    }
    return std::nullopt;
  }
  const std::string path = uri.starts_with(kFile) ? uri.substr(kFile.size()) : uri;
  if (path.empty() || path.find("://") != std::string::npos) {
    return std::nullopt;
  }
  if (fs::path found = file.parent_path() / path; fs::exists(found, none)) {
    return found;
  }
  return find_resource(std::string(kModel) + path, file);
}

std::optional<fs::path> model_file(const fs::path& folder) {
  std::error_code none;
  if (fs::is_regular_file(folder, none)) {
    return folder;
  }
  tinyxml2::XMLDocument document;
  fs::path found = folder / "model.sdf";
  if (load_xml(folder / "model.config", document).empty()) {
    if (const auto* model = document.FirstChildElement("model")) {
      for (auto* sdf = model->FirstChildElement("sdf"); sdf != nullptr; sdf = sdf->NextSiblingElement("sdf")) {
        found = sdf->GetText() != nullptr ? folder / sdf->GetText() : found;
      }
    }
  }
  return fs::exists(found, none) ? std::optional(found) : std::nullopt;
}

std::string load_xml(const fs::path& file, tinyxml2::XMLDocument& document) {
  try {
    const std::string text = read_plain_file(file);
    return document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS
               ? std::string()
               : std::string("cannot be read as XML: ") + document.ErrorStr();
  } catch (const PlainFileError& error) {
    return error.why();
  }
}

}  // namespace hilgate::gz

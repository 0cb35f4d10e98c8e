// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/sdf_resources.h"

#include <tinyxml2.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "config/plain_text.h"
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

// "%20" as a blank.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* const end = text.data() + std::min(i + 3, text.size());
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, end, byte, 16).ptr == text.data() + i + 3) {
      plain += static_cast<char>(byte);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// What an address of Fuel names.
struct FuelModel {
  std::string server;
  std::string owner;
  std::string name;
  std::string version{};  // empty: the newest
  fs::path file{};        // in it; empty: all of it
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// https://SERVER/API/OWNER/models/NAME[/VERSION][/files/PATH], as gz-fuel-tools reads it (FuelClient.cc).
std::optional<FuelModel> fuel_model(const std::string& uri) {
  const std::size_t scheme = uri.find("://");
  if (!uri.starts_with("http") || scheme == std::string::npos) {
    return std::nullopt;
  }
  std::vector<std::string> parts;
  std::istringstream path(uri.substr(scheme + 3));
  for (std::string part; std::getline(path, part, '/');) {
    if (!part.empty()) {
      parts.push_back(without_escapes(part));
    }
  }
  const auto models = std::ranges::find(parts, "models");
  if (models - parts.begin() < 2 || parts.end() - models < 2) {
    return std::nullopt;
  }
  FuelModel model{.server = parts.front(), .owner = *(models - 1), .name = *(models + 1)};
  auto next = models + 2;
  if (next != parts.end() && (is_number(*next) || *next == "tip")) {
    model.version = *next == "tip" ? "" : *next;
    ++next;
  }
  if (next != parts.end() && *next == "files") {
    for (++next; next != parts.end(); ++next) {
      if (*next == "..") {
        return std::nullopt;
      }
      model.file /= *next;
    }
  }
  return model;
}

std::vector<fs::path> fuel_caches() {
  std::vector<fs::path> caches;
  for (const char* variable : {"GZ_FUEL_CACHE_PATH", "IGN_FUEL_CACHE_PATH"}) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') {
      caches.emplace_back(value);
    }
  }
  if (const char* home = std::getenv("HOME")) {
    caches.push_back(fs::path(home) / ".gz/fuel");
    caches.push_back(fs::path(home) / ".ignition/fuel");
  }
  return caches;
}

// The newest version that is there.
std::optional<fs::path> newest(const fs::path& model) {
  std::error_code none;
  std::optional<fs::path> found;
  unsigned long most = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(model, none)) {
    const std::string name = entry.path().filename().string();
    if (is_number(name) && name.size() < 9 && (!found || std::stoul(name) > most)) {
      most = std::stoul(name);
      found = entry.path();
    }
  }
  return found;
}

// CACHE/SERVER/OWNER/models/NAME/VERSION, names in small letters (LocalCache.cc). The server has had two names.
std::optional<fs::path> find_in_fuel(const FuelModel& wanted) {
  std::error_code none;
  for (const fs::path& cache : fuel_caches()) {
    for (const std::string& server :
         {wanted.server, std::string("fuel.gazebosim.org"), std::string("fuel.ignitionrobotics.org")}) {
      for (const bool small : {true, false}) {
        const auto named = [small](const std::string& name) { return small ? in_small_letters(name) : name; };
        const fs::path model = cache / server / named(wanted.owner) / "models" / named(wanted.name);
        const auto folder = wanted.version.empty() ? newest(model) : std::optional(model / wanted.version);
        if (folder && fs::exists(*folder / wanted.file, none)) {
          return wanted.file.empty() ? *folder : *folder / wanted.file;
        }
      }
    }
  }
  return std::nullopt;
}

// A downloaded model names its own files as model://NAME/PATH, and lies in the folder of its version.
std::optional<fs::path> find_in_own_version(std::string_view path, const fs::path& file) {
  std::error_code none;
  const fs::path folder = fs::absolute(file).parent_path();
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || !is_number(folder.filename().string()) ||
      folder.parent_path().parent_path().filename() != "models") {
    return std::nullopt;
  }
  const fs::path found = folder / path.substr(slash + 1);
  return fs::exists(found, none) ? std::optional(found) : std::nullopt;
}

bool load_xml(const fs::path& file, tinyxml2::XMLDocument& document) {
  try {
    const std::string text = read_plain_file(file);
    return document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS;
  } catch (const PlainFileError&) {
    return false;
  }
}

class IncludedUris : public tinyxml2::XMLVisitor {
 public:
  bool VisitEnter(const tinyxml2::XMLElement& element, const tinyxml2::XMLAttribute*) override {
    const tinyxml2::XMLElement* const uri =
        std::string_view(element.Name()) == "include" ? element.FirstChildElement("uri") : nullptr;
    if (uri != nullptr && uri->GetText() != nullptr) {
      all.emplace_back(uri->GetText());
    }
    return true;
  }
  std::vector<std::string> all;
};

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
    return find_in_own_version(std::string_view(uri).substr(kModel.size()), file);
  }
  if (const auto model = fuel_model(uri)) {
    return find_in_fuel(*model);
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
  if (load_xml(folder / "model.config", document)) {
    if (const auto* model = document.FirstChildElement("model")) {
      for (auto* sdf = model->FirstChildElement("sdf"); sdf != nullptr; sdf = sdf->NextSiblingElement("sdf")) {
        found = sdf->GetText() != nullptr ? folder / sdf->GetText() : found;
      }
    }
  }
  return fs::exists(found, none) ? std::optional(found) : std::nullopt;
}

bool IncludeGraph::is_circular(const fs::path& file) {
  std::set<fs::path> seen;
  for (std::vector<fs::path> left{file}; !left.empty();) {
    const fs::path next = left.back();
    left.pop_back();
    for (const fs::path& included : includes_of(next)) {
      if (included == file) {
        return true;
      }
      if (seen.insert(included).second) {
        left.push_back(included);
      }
    }
  }
  return false;
}

const std::vector<fs::path>& IncludeGraph::includes_of(const fs::path& file) {
  const auto [place, is_new] = includes_.try_emplace(file);
  tinyxml2::XMLDocument document;
  if (is_new && load_xml(file, document)) {
    IncludedUris uris;
    document.Accept(&uris);
    for (const std::string& uri : uris.all) {
      const auto folder = find_resource(uri, world_);
      if (const auto included = folder ? model_file(*folder) : std::nullopt) {
        place->second.push_back(*included);
      }
    }
  }
  return place->second;
}

}  // namespace hilgate::gz

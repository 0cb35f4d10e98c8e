// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/reader/installed_names.h"

#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {

std::vector<std::string> profile_folders(const std::vector<std::filesystem::path>& configured) {
  std::vector<std::string> folders(configured.begin(), configured.end());
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  folders.push_back((program.parent_path().parent_path() / "share/hilgate/profiles").string());
  return folders;
}

KnownNames known_names(const std::string& gateway) {
  KnownNames names;
  names.gateway = gateway;
  names.radios = [](const std::vector<std::filesystem::path>& configured) {
    return radio_profile_names(profile_folders(configured));
  };
  for (const Material& material : builtin_materials()) {
    names.materials.push_back(material.name);
  }
  return names;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// From a YAML file to a Configuration. examples/reference.yaml shows every key.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "config/yaml_reader.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

/// What exists outside the file that a file may name.
struct KnownNames {
  /// Names of the radio profiles found in `directories` and where profiles are installed.
  std::function<std::vector<std::string>(const std::vector<std::filesystem::path>& directories)> radios;
  /// Names of the built-in materials.
  std::vector<std::string> materials;
};

/// Reads and checks a file. Throws ConfigError with every fault in it, one per line.
Configuration load_configuration(const std::filesystem::path& file, const KnownNames& known);

/// The same for a document that has been parsed; relative paths start from where its file is. Faults stay in the
/// document until its finish().
Configuration read_configuration(YamlDocument& document, const KnownNames& known);

}  // namespace hilgate

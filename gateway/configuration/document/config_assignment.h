// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace hilgate {

/// The keys of a path that are joined by dots. Of a path into `links` the two ends are a key each, also where they name
/// a radio: {"links", "red.sik", "blue", "delay"}; which robots have which radios is as `root` has it.
std::vector<std::string> keys_of_path(const YAML::Node& root, const std::string& path);

/// Applies KEY=VALUE to a configuration, as ConfigDocument::with(). Throws ConfigError that names it and `file`.
void assign(YAML::Node root, const std::string& file, const std::string& assignment);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace hilgate {

/// The keys of a path that are joined by dots.
std::vector<std::string> keys_of_path(const std::string& path);

/// Applies KEY=VALUE to a configuration, as ConfigDocument::with(). Throws ConfigError that names it and `file`.
void assign(YAML::Node root, const std::string& file, const std::string& assignment);

}  // namespace hilgate

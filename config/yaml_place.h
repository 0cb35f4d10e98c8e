// SPDX-License-Identifier: Apache-2.0
// Where in a YAML file something stands, for messages.
#pragma once

#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

namespace hilgate {

/// The first line of a node, from 1; 0 for one that is in no file.
inline int line_of(const YAML::Node& node) {
  return node.Mark().is_null() ? 0 : node.Mark().line + 1;
}

/// The path of a key below `path`: "ports.red".
inline std::string path_to(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

}  // namespace hilgate

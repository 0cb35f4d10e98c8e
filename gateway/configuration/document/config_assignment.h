// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace hilgate {

/// The keys of a path that are joined by dots; a filter is one as it stands, ["udp port 14550"]. Of a path into `links`
/// the two ends are a key each, also where they name a radio: {"links", "red.sik", "blue", "delay"}; which robots have
/// which radios is as `root` has it.
std::vector<std::string> keys_of_path(const YAML::Node& root, const std::string& path);

/// The filter of the path of a link, links.FROM.TO["FILTER"].KEY, which is taken from the keys; empty without.
std::string take_filter(std::vector<std::string>& keys);

/// Whether what an item of `links` has as `filter` is this one; empty: it has none.
bool has_filter(const YAML::Node& item, const std::string& filter);

/// Applies KEY=VALUE to a configuration, as ConfigDocument::with(). Throws ConfigError that names it and `file`.
void assign(YAML::Node root, const std::string& file, const std::string& assignment);

}  // namespace hilgate

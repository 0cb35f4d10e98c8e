// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "config/yaml_reader.h"

namespace hilgate {
namespace {

// A map that may have the key, and its path with names instead of "*".
struct Place {
  YAML::Node map;
  std::string path;
};

void find_places(const YAML::Node& node, const std::string& path, std::string_view rest, std::vector<Place>& places) {
  const std::size_t dot = rest.find('.');
  if (dot == std::string_view::npos) {
    if (node.IsMap()) {
      places.push_back({node, path});
    }
    return;
  }
  const std::string_view step = rest.substr(0, dot);
  rest.remove_prefix(dot + 1);
  if (node.IsSequence() && step == "*") {
    for (std::size_t i = 0; i < node.size(); ++i) {
      find_places(node[i], fmt::format("{}[{}]", path, i), rest, places);
    }
  } else if (node.IsMap()) {
    for (const auto& pair : node) {
      if (pair.first.IsScalar() && (step == "*" || pair.first.Scalar() == step)) {
        find_places(pair.second, path_to(path, pair.first.Scalar()), rest, places);
      }
    }
  }
}

std::optional<YAML::Node> key_in(const YAML::Node& map, std::string_view name) {
  for (const auto& pair : map) {
    if (pair.first.IsScalar() && pair.first.Scalar() == name) {
      return pair.first;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> YamlDocument::replace_old_keys(std::span<const OldKey> table) {
  std::vector<std::string> notices;
  for (const OldKey& old : table) {
    const std::string name(old.path.substr(old.path.rfind('.') + 1));  // npos + 1 is 0
    std::vector<Place> places;
    find_places(state_->root, "", old.path, places);
    for (Place& place : places) {
      std::optional<YAML::Node> key = key_in(place.map, name);
      if (!key) {
        continue;
      }
      const int line = line_of(*key);
      const std::string path = path_to(place.path, name);
      if (old.now.empty()) {
        place.map.remove(name);
        notices.push_back(fmt::format("{}:{}: {}: has no effect any more{}{}; remove it", state_->file, line, path,
                                      old.note.empty() ? "" : ": ", old.note));
      } else if (key_in(place.map, old.now)) {
        place.map.remove(name);
        state_->faults.push_back(
            {state_->file, line, path, fmt::format("is called '{}' now, which is given as well; remove one", old.now)});
      } else {
        *key = std::string(old.now);  // in its place, with its line
        notices.push_back(fmt::format("{}:{}: {}: is called '{}' now; the old name still counts, rename it",
                                      state_->file, line, path, old.now));
      }
    }
  }
  return notices;
}

}  // namespace hilgate

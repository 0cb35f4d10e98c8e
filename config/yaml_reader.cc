// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "config/nearest.h"
#include "config/plain_text.h"

namespace hilgate {

namespace {

/// Keys that are no scalars have no name; they are reported as unknown under this one.
std::string key_text(const YAML::Node& key) {
  return key.IsScalar() ? key.Scalar() : "(a key that is not a scalar)";
}

std::string kind_of(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map:
      return "a map";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Scalar:
      return "'" + shown(node.Scalar()) + "'";
    default:
      return "empty";
  }
}

/// The first line, from 1, with a tab in front of its first word; 0 without any.
int line_of_tab(std::string_view text) {
  int line = 0;
  while (!text.empty()) {
    ++line;
    const std::string_view indent = text.substr(0, text.find_first_not_of(" \t"));
    if (indent.find('\t') != std::string_view::npos) {
      return line;
    }
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return 0;
}

}  // namespace

YamlDocument YamlDocument::load(const std::string& file) {
  return parse(read_config_file(file), file);
}

YamlDocument YamlDocument::parse(const std::string& text, const std::string& file) {
  YamlDocument document;
  document.state_->file = file;
  if (const int line = line_of_deep_yaml(text); line > 0) {
    throw ConfigError({{file, line, "", fmt::format("is nested deeper than {} brackets", kDeepestYaml)}});
  }
  try {
    document.state_->root = load_only_document(text, file);
  } catch (const YAML::Exception& error) {
    if (const int line = line_of_tab(text); line > 0) {
      throw ConfigError({{file, line, "", "is indented with a tab; YAML is indented with blanks alone"}});
    }
    throw ConfigError({{file, error.mark.is_null() ? 0 : error.mark.line + 1, "", "is not valid YAML: " + error.msg}});
  }
  return document;
}

YamlDocument YamlDocument::of(const YAML::Node& root, const std::string& file) {
  YamlDocument document;
  document.state_->file = file;
  document.state_->root = root;
  return document;
}

YamlReader YamlDocument::root() {
  return {*state_, state_->root, "", std::max(1, line_of(state_->root))};
}

void YamlDocument::finish(const Reread& reread) {
  report_unknown(reread);
  if (!state_->faults.empty()) {
    throw ConfigError(std::move(state_->faults));
  }
}

void YamlDocument::report_unknown(const Reread& reread) {
  constexpr std::size_t kMostExplained = 4;  // maps; each reads the document several times
  std::size_t explained = 0;
  for (const auto& [path, map] : state_->maps) {
    std::map<std::string, int> unknown;
    for (const auto& pair : map.node) {
      const std::string key = key_text(pair.first);
      if (!map.known_names.contains(key) && !is_extension(path, key)) {
        unknown.emplace(key, line_of(pair.first));
      }
    }
    if (unknown.empty()) {
      continue;
    }
    std::map<std::string, std::string> owners;
    if (reread && !map.choices.empty() && ++explained <= kMostExplained) {
      std::set<std::string> keys;
      for (const auto& [key, line] : unknown) {
        keys.insert(key);
      }
      owners = owners_of(keys, path, reread);
    }
    for (const auto& [key, line] : unknown) {
      const auto owner = owners.find(key);
      state_->faults.push_back({state_->file, line, path_to(path, key),
                                owner != owners.end()
                                    ? owner->second
                                    : fmt::format("unknown key '{}'; {}", shown(key), hint_for(key, map.known))});
    }
  }
}

// By key: "belongs to type trace; type is 'wire' here". Of keys that no other word of a choice knows there is nothing.
std::map<std::string, std::string> YamlDocument::owners_of(const std::set<std::string>& keys, const std::string& path,
                                                           const Reread& reread) const {
  std::map<std::string, std::string> owners;
  const VisitedMap& map = state_->maps.at(path);
  for (const auto& [choice, words] : map.choices) {
    const auto given = map.values.find(choice);
    const std::string now =
        given != map.values.end() && given->second.first.IsScalar() ? given->second.first.Scalar() : "";
    std::map<std::string, std::string> found;
    for (const std::string& word : words) {
      if (word == now) {
        continue;
      }
      YamlDocument other = of(with_word(state_->root, map.node, choice, word), state_->file);
      try {
        reread(other);
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): what is known until then counts
      }
      const auto its = other.state_->maps.find(path);
      for (const std::string& key : keys) {
        if (its != other.state_->maps.end() && its->second.known_names.contains(key)) {
          found[key] += (found[key].empty() ? "" : " or ") + word;
        }
      }
    }
    for (const auto& [key, values] : found) {
      owners.try_emplace(key, fmt::format("belongs to {} {}; {} is {}", choice, values, choice,
                                          now.empty() ? "not given" : "'" + shown(now) + "' here"));
    }
  }
  return owners;
}

std::vector<std::string> YamlDocument::known_keys() const {
  std::set<std::string> keys;
  for (const auto& [path, map] : state_->maps) {
    for (const std::string& key : map.known) {
      keys.insert(path_to(path, key));
    }
  }
  return {keys.begin(), keys.end()};
}

YamlReader::YamlReader(YamlDocument::State& state, YAML::Node node, std::string path, int line)
    : state_(&state), node_(std::move(node)), path_(std::move(path)), line_(line) {}

YamlReader YamlReader::nowhere(std::string path) const {
  YamlReader reader(*state_, YAML::Node(), std::move(path), line_);
  reader.present_ = false;
  return reader;
}

bool YamlReader::visit() const {
  if (!present_) {
    return false;
  }
  if (!node_.IsMap()) {
    if (state_->not_maps.insert(path_).second) {
      fault(fmt::format("is {}; a map of 'key: value' pairs is expected", kind_of(node_)));
    }
    return false;
  }
  const auto [place, is_new] = state_->maps.try_emplace(path_, YamlDocument::VisitedMap{.node = node_});
  if (!is_new) {
    return true;
  }
  std::map<std::string, int> seen;
  for (const auto& pair : node_) {
    if (is_extension(path_, key_text(pair.first))) {
      continue;
    }
    if (pair.first.IsScalar()) {
      place->second.values.try_emplace(pair.first.Scalar(), pair.second, line_of(pair.first));
    }
    if (pair.second.IsNull()) {
      state_->faults.push_back({state_->file, line_of(pair.first), path_to(path_, key_text(pair.first)),
                                "is empty; give it a value, or remove the key"});
    }
    const auto [first, first_time] = seen.try_emplace(key_text(pair.first), line_of(pair.first));
    if (!first_time) {
      state_->faults.push_back({state_->file, line_of(pair.first), path_to(path_, first->first),
                                fmt::format("is given twice; first in line {}", first->second)});
    }
  }
  return true;
}

YamlReader YamlReader::find(std::string_view key, bool must_be) const {
  std::string path = path_to(path_, key);
  auto place = present_ ? state_->maps.find(path_) : state_->maps.end();
  if (place == state_->maps.end()) {
    if (!visit()) {
      return nowhere(std::move(path));
    }
    place = state_->maps.find(path_);
  }
  YamlDocument::VisitedMap& map = place->second;
  if (!map.known_names.contains(key)) {
    map.known_names.emplace(key);
    map.known.emplace_back(key);
  }
  if (const auto found = map.values.find(key); found != map.values.end()) {
    const auto& [value, line] = found->second;
    return value.IsNull() ? nowhere(path) : YamlReader(*state_, value, path, line);
  }
  if (must_be && map.missed.emplace(key).second) {
    fault(fmt::format("misses the key '{}'", key));
  }
  return nowhere(path);
}

void YamlReader::note_choice(std::string_view key, const std::vector<std::string>& words) const {
  if (const auto map = state_->maps.find(path_); map != state_->maps.end()) {
    map->second.choices.try_emplace(std::string(key), words);
  }
}

std::optional<std::string> YamlReader::scalar_text() const {
  if (!present_) {
    return std::nullopt;
  }
  if (!node_.IsScalar()) {
    fault(fmt::format("is {}; a single value is expected", kind_of(node_)));
    return std::nullopt;
  }
  return node_.Scalar();
}

YamlReader YamlReader::child(std::string_view key) {
  return find(key, true);
}

std::optional<YamlReader> YamlReader::optional_child(std::string_view key) {
  YamlReader reader = find(key, false);
  return reader.absent() ? std::nullopt : std::make_optional(std::move(reader));
}

std::vector<YamlReader::Entry> YamlReader::entries(std::string_view key) {
  return find(key, false).entries();
}

std::vector<YamlReader::Entry> YamlReader::entries() {
  std::vector<Entry> all;
  if (!visit()) {
    return all;
  }
  YamlDocument::VisitedMap& map = state_->maps.at(path_);
  for (const auto& pair : node_) {
    const std::string name = key_text(pair.first);
    if (is_extension(path_, name)) {
      continue;
    }
    if (map.known_names.insert(name).second) {
      map.known.push_back(name);
    }
    YamlReader value(*state_, pair.second, path_to(path_, name), line_of(pair.first));
    value.present_ = !pair.second.IsNull();
    all.emplace_back(name, std::move(value));
  }
  return all;
}

std::vector<YamlReader> YamlReader::items(std::string_view key) {
  return find(key, false).items();
}

std::vector<YamlReader> YamlReader::items() {
  std::vector<YamlReader> all;
  if (!present_) {
    return all;
  }
  if (!node_.IsSequence()) {
    fault(fmt::format("is {}; a list is expected", kind_of(node_)));
    return all;
  }
  for (const auto& item : node_) {
    all.push_back(YamlReader(*state_, item, fmt::format("{}[{}]", path_, all.size()), line_of(item)));
  }
  return all;
}

std::filesystem::path YamlReader::file_named(const std::string& name) const {
  std::filesystem::path file = referenced_file(state_->file, name);
  if (!name.empty()) {
    state_->references.push_back({name, file});
  }
  return file;
}

std::string YamlReader::flow_text() const {
  if (is_scalar() && node_.Tag() == "?" && is_plain_scalar(node_.Scalar())) {  // as nearly all values of scenarios
    return node_.Scalar();
  }
  YAML::Emitter out;
  out.SetMapFormat(YAML::Flow);
  out.SetSeqFormat(YAML::Flow);
  out << node_;
  return present_ ? out.c_str() : "";
}

bool YamlReader::contains(std::string_view dotted_path) const {
  YAML::Node node = node_;
  while (present_ && node.IsMap()) {
    const auto dot = dotted_path.find('.');
    const YAML::Node below = std::as_const(node)[std::string(dotted_path.substr(0, dot))];
    if (!below.IsDefined() || dot == std::string_view::npos) {
      return below.IsDefined();
    }
    node.reset(below);
    dotted_path.remove_prefix(dot + 1);
  }
  return false;
}

void YamlReader::fault(std::string text) const {
  state_->faults.push_back({state_->file, line_, path_, std::move(text)});
}

void YamlReader::fault(std::string_view key, std::string text) const {
  const YamlReader node = find(key, false);
  state_->faults.push_back({state_->file, node.line_, node.path_, std::move(text)});
}

void YamlReader::fault(Fault elsewhere) const {
  state_->faults.push_back(std::move(elsewhere));
}

std::string no_such_choice(std::string_view name, const std::vector<std::string>& names) {
  return fmt::format("'{}' is not a known value; {}", shown(name), hint_for(name, names));
}

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

bool YamlDocument::has_old_keys(const YAML::Node& root, std::span<const OldKey> table) {
  return std::ranges::any_of(table, [&root](const OldKey& old) {
    const std::string name(old.path.substr(old.path.rfind('.') + 1));
    std::vector<Place> places;
    find_places(root, "", old.path, places);
    return std::ranges::any_of(places, [&name](const Place& place) { return key_in(place.map, name).has_value(); });
  });
}

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
        *key = std::string(old.now);  // at its position, with its line
        notices.push_back(fmt::format("{}:{}: {}: is called '{}' now; the old name still counts, rename it",
                                      state_->file, line, path, old.now));
      }
    }
  }
  return notices;
}

}  // namespace hilgate

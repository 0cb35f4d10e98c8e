// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/document/config_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/radio_name.h"
#include "config/yaml_reader.h"
#include "gateway/configuration/document/config_assignment.h"
#include "gateway/configuration/reader/configuration_reader.h"

namespace hilgate {
namespace {

bool covers(const YAML::Node& end, const std::string& robot) {
  if (end && end.IsSequence()) {
    return std::any_of(end.begin(), end.end(),
                       [&robot](const YAML::Node& name) { return stands_for(name.as<std::string>(""), robot); });
  }
  return !end || end.as<std::string>("") == "*" || stands_for(end.as<std::string>(""), robot);
}

// What all items with this filter say of a link, the later ones over those before. Without: those about all frames.
YAML::Node link_values(const YAML::Node& root, const std::string& from, const std::string& to,
                       const std::string& filter) {
  YAML::Node values(YAML::NodeType::Map);
  const YAML::Node links = root["links"];
  for (const YAML::Node& item : links ? links : YAML::Node(YAML::NodeType::Sequence)) {
    if (!covers(item["from"], from) || !covers(item["to"], to) || !has_filter(item, filter)) {
      continue;
    }
    for (const auto& pair : item) {
      if (const auto key = pair.first.as<std::string>(""); key != "from" && key != "to" && key != "filter") {
        values[key] = pair.second;
      }
    }
  }
  return values;
}

std::string one_line(const YAML::Node& node) {
  YAML::Emitter out;
  out.SetMapFormat(YAML::Flow);
  out.SetSeqFormat(YAML::Flow);
  out << placeless(node);
  return out.c_str();
}

/// Of "links[3].delay" the place in the list and the rest, "delay", which may be empty; nothing of other paths.
std::optional<std::pair<std::size_t, std::string_view>> link_item(std::string_view path) {
  constexpr std::string_view kLinks = "links[";
  std::size_t item = 0;
  if (!path.starts_with(kLinks)) {
    return std::nullopt;
  }
  path.remove_prefix(kLinks.size());
  const auto [stop, error] = std::from_chars(path.data(), path.data() + path.size(), item);
  path.remove_prefix(static_cast<std::size_t>(stop - path.data()));
  if (error != std::errc{} || (path != "]" && !path.starts_with("]."))) {
    return std::nullopt;
  }
  return std::pair{item, path.substr(std::min<std::size_t>(path.size(), 2))};
}

/// Which assignment was the last about a key, or about what is in it.
class TypedKeys {
 public:
  explicit TypedKeys(const std::vector<std::string>& assignments) {
    for (const std::string& assignment : assignments) {
      const std::string_view key = key_of(assignment);
      last_of_[key] = ++count_;
      for_each_outer(key, [&](std::string_view outer) { last_within_[outer] = {count_, key}; });
    }
  }

  /// The key of the last assignment of this key, of one that it is in, or of one in it.
  [[nodiscard]] std::optional<std::string> of(std::string_view key) const {
    std::pair<std::size_t, std::string_view> last;
    if (const auto found = last_within_.find(key); found != last_within_.end()) {
      last = found->second;
    }
    for_each_outer(key, [&](std::string_view outer) {
      if (const auto found = last_of_.find(outer); found != last_of_.end() && found->second > last.first) {
        last = {found->second, found->first};
      }
    });
    return last.first > 0 ? std::optional(std::string(last.second)) : std::nullopt;
  }

 private:
  // The key itself, too.
  template <class Visit>
  static void for_each_outer(std::string_view key, const Visit& visit) {
    for (std::size_t end = 1; end < key.size(); ++end) {
      if (key[end] == '.' || key[end] == '[') {
        visit(key.substr(0, end));
      }
    }
    visit(key);
  }

  std::size_t count_ = 0;
  std::unordered_map<std::string_view, std::size_t> last_of_;
  std::unordered_map<std::string_view, std::pair<std::size_t, std::string_view>> last_within_;
};

/// The key of an assignment that a fault of an item of `links` is about, as it was typed: "links.red.blue.delay".
std::optional<std::string> typed_key(const YAML::Node& root, std::string_view path, const TypedKeys& typed) {
  const auto place = link_item(path);
  const YAML::Node links = root["links"];
  if (!place || !links || !links.IsSequence() || place->first >= links.size()) {
    return std::nullopt;
  }
  const YAML::Node item = links[place->first];
  if (!item.IsMap() || !item["from"] || !item["to"]) {
    return std::nullopt;
  }
  std::string link = fmt::format("links.{}.{}", item["from"].as<std::string>(""), item["to"].as<std::string>(""));
  if (item["filter"]) {
    link += fmt::format("[\"{}\"]", item["filter"].as<std::string>(""));
  }
  const bool of_link =
      place->second.empty() || place->second == "from" || place->second == "to" || place->second == "filter";
  const std::string key = of_link ? link : fmt::format("{}.{}", link, place->second);
  const std::optional<std::string> found = typed.of(key);
  return of_link || !found ? found : key;
}

bool takes_away(std::string_view assignment) {
  return assignment.find_first_not_of(" \t", key_of(assignment).size() + 1) == std::string_view::npos;
}

}  // namespace

ConfigDocument::ConfigDocument(std::string file, std::string text, std::vector<std::string> assignments)
    : file_(std::move(file)), text_(std::move(text)) {
  AssignedTree changed(load_only_document(text_, file_), file_);
  for (std::string& assignment : assignments) {
    // Removing an absent key, such as that of a guest's robot that has left, has no effect. Dropping it keeps the list
    // short: otherwise a run with frequent changes would slow down.
    if (changed.assign(assignment) || !takes_away(assignment)) {
      assignments_.push_back(std::move(assignment));
    }
  }
  root_.reset(changed.tree());
}

YAML::Node ConfigDocument::tree() const {
  AssignedTree changed(load_only_document(text_, file_), file_);
  for (const std::string& assignment : assignments_) {
    changed.assign(assignment);
  }
  return changed.tree();
}

ConfigDocument& ConfigDocument::operator=(const ConfigDocument& other) {
  if (this != &other) {
    file_ = other.file_;
    text_ = other.text_;
    assignments_ = other.assignments_;
    root_.reset(other.root_);
  }
  return *this;
}

ConfigDocument ConfigDocument::load(const std::filesystem::path& file) {
  return parse(read_config_file(file.string()), file);
}

ConfigDocument ConfigDocument::parse(const std::string& text, const std::filesystem::path& file) {
  YamlDocument::parse(text, file.string());  // throws with the fault
  return {file.string(), text, {}};
}

ConfigDocument ConfigDocument::with(const std::vector<std::string>& assignments) const {
  std::vector<std::string> all = assignments_;
  all.insert(all.end(), assignments.begin(), assignments.end());
  std::unordered_set<std::string_view> later;  // the last value of a key applies, in its place
  std::vector<std::string> kept;
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    if (later.insert(key_of(*each)).second) {
      kept.push_back(*each);
    }
  }
  std::ranges::reverse(kept);
  return {file_, text_, std::move(kept)};
}

ConfigDocument ConfigDocument::without(const std::vector<std::string>& keys) const {
  const std::unordered_set<std::string_view> away(keys.begin(), keys.end());
  std::vector<std::string> rest = assignments_;
  std::erase_if(rest, [&](const std::string& each) { return away.contains(key_of(each)); });
  return {file_, text_, std::move(rest)};
}

std::vector<std::string> ConfigDocument::standing(const std::vector<std::string>& assignments) const {
  std::unordered_map<std::string_view, const std::string*> by_key;
  for (const std::string& each : assignments_) {
    by_key.emplace(key_of(each), &each);
  }
  std::vector<std::string> standing;
  for (const std::string& each : assignments) {
    const auto before = by_key.find(key_of(each));
    standing.push_back(before != by_key.end() ? *before->second : std::string(key_of(each)));
  }
  return standing;
}

std::vector<std::string> ConfigDocument::undoing(const std::vector<std::string>& assignments) const {
  std::vector<std::string> undoing;
  for (auto each = assignments.rbegin(); each != assignments.rend(); ++each) {  // a later one may lie within an earlier
    const std::string key(key_of(*each));
    undoing.push_back(fmt::format("{}={}", key, found(key).value_or("")));
  }
  return undoing;
}

ConfigDocument ConfigDocument::with_standing(const std::vector<std::string>& before) const {
  std::vector<std::string> values;
  std::vector<std::string> keys;
  for (const std::string& each : before) {
    (end_of_key(each) != std::string::npos ? values : keys).push_back(each);
  }
  return without(keys).with(values);
}

Configuration ConfigDocument::read(const KnownNames& known) const {
  const YAML::Node root = YamlDocument::has_old_keys(root_, old_keys()) ? tree() : root_;  // they are replaced in it
  YamlDocument document = YamlDocument::of(root, file_);
  Configuration configuration = read_configuration(document, known);
  try {
    document.finish([&known](YamlDocument& other) { read_configuration(other, known); });
  } catch (const ConfigError& error) {
    std::vector<Fault> faults = error.faults();
    const TypedKeys typed(assignments_);
    for (Fault& fault : faults) {
      fault.path = typed_key(root, fault.path, typed).value_or(fault.path);
    }
    throw ConfigError(std::move(faults));
  }
  return configuration;
}

std::string ConfigDocument::value(const std::string& path) const {
  if (auto value = found(path)) {
    return *std::move(value);
  }
  throw std::runtime_error(fmt::format("'{}' is not set: its default holds, or there is no such key", shown(path)));
}

std::optional<std::string> ConfigDocument::found(const std::string& path) const {
  RadioNames radios(root_);
  std::vector<std::string> keys = path.empty() ? std::vector<std::string>{} : keys_of_path(radios, path);
  YAML::Node at = YAML::Clone(root_);
  if (keys.size() >= 3 && keys.front() == "links") {
    const std::string filter = take_filter(keys);
    at.reset(link_values(root_, keys[1], keys[2], filter));
    keys.erase(keys.begin(), keys.begin() + 3);
  }
  for (const std::string& key : keys) {
    const YAML::Node next = at.IsMap() ? at[key] : YAML::Node();
    if (!next || next.IsNull()) {
      return std::nullopt;
    }
    at.reset(next);
  }
  return at.IsSequence() ? one_line(at) : YAML::Dump(placeless(at));
}

std::optional<std::filesystem::path> ConfigDocument::physics_file() const {
  const YAML::Node physics = root_["physics"];
  if (!physics || !physics.IsMap() || !physics["file"]) {
    return std::nullopt;
  }
  return referenced_file(file_, physics["file"].as<std::string>(""));
}

bool ConfigDocument::moves_by_file(const std::string& body) const {
  if (!physics_file()) {
    return false;
  }
  const YAML::Node tracks = root_["physics"]["tracks"];
  return !(tracks.IsMap() && tracks[body]);
}

std::string ConfigDocument::section(std::string_view key) const {
  const YAML::Node section = root_[std::string(key)];
  if (!section) {
    return {};
  }
  return one_line(section);
}

}  // namespace hilgate

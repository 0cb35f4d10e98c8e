// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/config_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "config/config_error.h"
#include "config/config_file.h"
#include "config/yaml_reader.h"
#include "gateway/daemon/config_assignment.h"

namespace hilgate {
namespace {

bool covers(const YAML::Node& end, const std::string& robot) {
  return !end || end.as<std::string>("") == "*" || end.as<std::string>("") == robot;
}

// What all items say of a link, the later ones over those before.
YAML::Node link_values(const YAML::Node& root, const std::string& from, const std::string& to) {
  YAML::Node values(YAML::NodeType::Map);
  const YAML::Node links = root["links"];
  for (const YAML::Node& item : links ? links : YAML::Node(YAML::NodeType::Sequence)) {
    if (!covers(item["from"], from) || !covers(item["to"], to)) {
      continue;
    }
    for (const auto& pair : item) {
      if (const auto key = pair.first.as<std::string>(""); key != "from" && key != "to") {
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
  out << node;
  return out.c_str();
}

}  // namespace

std::string_view key_of(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

ConfigDocument::ConfigDocument(std::string file, std::string text, std::vector<std::string> assignments)
    : file_(std::move(file)), text_(std::move(text)), assignments_(std::move(assignments)), root_(tree()) {}

YAML::Node ConfigDocument::tree() const {
  const YAML::Node root = YAML::Load(text_);
  for (const std::string& assignment : assignments_) {
    assign(root, file_, assignment);
  }
  return root;
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
  const std::string text = read_config_file(file.string());
  YamlDocument::parse(text, file.string());  // says what is wrong with it
  return {file.string(), text, {}};
}

ConfigDocument ConfigDocument::with(const std::vector<std::string>& assignments) const {
  std::vector<std::string> all = assignments_;
  for (const std::string& assignment : assignments) {
    // The last value of a key is the one that counts; without this a run that is changed all the time would slow down.
    std::erase_if(all, [&](const std::string& before) { return key_of(before) == key_of(assignment); });
    all.push_back(assignment);
  }
  return {file_, text_, std::move(all)};
}

ConfigDocument ConfigDocument::without(const std::vector<std::string>& keys) const {
  std::vector<std::string> rest = assignments_;
  std::erase_if(rest, [&](const std::string& each) { return std::ranges::find(keys, key_of(each)) != keys.end(); });
  return {file_, text_, std::move(rest)};
}

std::vector<std::string> ConfigDocument::standing(const std::vector<std::string>& assignments) const {
  std::vector<std::string> standing;
  for (const std::string& each : assignments) {
    const auto before =
        std::ranges::find_if(assignments_, [&](const auto& other) { return key_of(other) == key_of(each); });
    standing.push_back(before != assignments_.end() ? *before : std::string(key_of(each)));
  }
  return standing;
}

ConfigDocument ConfigDocument::with_standing(const std::vector<std::string>& before) const {
  std::vector<std::string> values;
  std::vector<std::string> keys;
  for (const std::string& each : before) {
    (each.find('=') != std::string::npos ? values : keys).push_back(each);
  }
  return without(keys).with(values);
}

Configuration ConfigDocument::read(const KnownNames& known) const {
  YamlDocument document = YamlDocument::of(tree(), file_);
  Configuration configuration = read_configuration(document, known);
  document.finish();
  return configuration;
}

std::string ConfigDocument::value(const std::string& path) const {
  std::vector<std::string> keys = path.empty() ? std::vector<std::string>{} : keys_of_path(path);
  YAML::Node at = YAML::Clone(root_);
  if (keys.size() >= 3 && keys.front() == "links") {
    at.reset(link_values(root_, keys[1], keys[2]));
    keys.erase(keys.begin(), keys.begin() + 3);
  }
  for (const std::string& key : keys) {
    const YAML::Node next = at.IsMap() ? at[key] : YAML::Node();
    if (!next || next.IsNull()) {
      throw std::runtime_error(fmt::format("'{}' is not set: its default holds, or there is no such key", path));
    }
    at.reset(next);
  }
  return at.IsSequence() ? one_line(at) : YAML::Dump(at);
}

std::optional<std::filesystem::path> ConfigDocument::physics_file() const {
  const YAML::Node physics = root_["physics"];
  if (!physics || !physics.IsMap() || !physics["file"]) {
    return std::nullopt;
  }
  return std::filesystem::path(file_).parent_path() / physics["file"].as<std::string>("");
}

std::string ConfigDocument::section(std::string_view key) const {
  const YAML::Node section = root_[std::string(key)];
  if (!section) {
    return {};
  }
  return one_line(section);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/document/config_assignment.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "config/config_error.h"
#include "config/radio_name.h"
#include "config/yaml_tree.h"

namespace hilgate {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& assignment, const std::string& why) {
  throw ConfigError({{file, 0, fmt::format("'{}'", assignment), why}});
}

// The robot, or one of its radios.
bool names(const YAML::Node& end, const std::string& robot) {
  return end && stands_for(robot, end.as<std::string>(""));
}

bool is_for(const YAML::Node& item, const std::string& from, const std::string& to) {
  return item.IsMap() && item["from"] && item["to"] && item["from"].as<std::string>("") == from &&
         item["to"].as<std::string>("") == to;
}

// Of the items for just this link none has the key any more: a later one would win over them anyway, and a document
// that is changed all the time must not grow.
void forget(YAML::Node root, const std::string& from, const std::string& to, const std::string& key) {
  YAML::Node kept(YAML::NodeType::Sequence);
  for (YAML::Node item : root["links"]) {
    const bool is_its = is_for(item, from, to);
    if (is_its) {
      item.remove(key);
    }
    if (!is_its || item.size() > 2) {
      kept.push_back(item);
    }
  }
  put_value(root, "links", kept.size() > 0 ? kept : YAML::Node());
}

// The last item for just this link, so that it overrides all others, or a new one at the end.
YAML::Node item_for(YAML::Node root, const std::string& from, const std::string& to) {
  YAML::Node links = root["links"];
  if (links && links.size() > 0) {
    YAML::Node last = links[links.size() - 1];
    if (is_for(last, from, to)) {
      return last;
    }
  }
  YAML::Node item;
  item["from"] = from;
  item["to"] = to;
  root["links"].push_back(item);
  return root["links"][root["links"].size() - 1];
}

void remove_from(YAML::Node map, const std::string& name) {
  if (map && map.IsMap()) {
    map.remove(name);
  }
}

// What names a robot goes with it.
void forget_robot(YAML::Node root, const std::string& robot) {
  YAML::Node kept(YAML::NodeType::Sequence);
  for (YAML::Node item : root["links"]) {
    if (!names(item["from"], robot) && !names(item["to"], robot)) {
      kept.push_back(item);
    }
  }
  put_value(root, "links", kept.size() > 0 ? kept : YAML::Node());
  for (const char* list : {"tracks", "start"}) {
    if (root["physics"] && root["physics"].IsMap()) {
      remove_from(root["physics"][list], robot);
    }
  }
  if (root["lab"] && root["lab"].IsMap()) {
    remove_from(root["lab"]["attach"], robot);
  }
}

bool has_radio(const YAML::Node& root, const std::string& robot, const std::string& radio) {
  const YAML::Node robots = root["robots"];
  if (!robots || !robots.IsMap() || !robots[robot] || !robots[robot].IsMap()) {
    return false;
  }
  const YAML::Node radios = robots[robot]["radios"];
  return radios && radios.IsMap() && radios[radio];
}

// Names of radios are no keys of links and no names of robots, so there is one way to read a path.
void join_radio(const YAML::Node& root, std::vector<std::string>& keys, std::size_t end) {
  if (end + 1 < keys.size() && has_radio(root, keys[end], keys[end + 1])) {
    keys[end] += "." + keys[end + 1];
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(end) + 1);
  }
}

// The name of the robot, or of the radio, that an assignment removes.
std::optional<std::string> removed_robot(const std::vector<std::string>& keys) {
  if (keys.front() != "robots") {
    return std::nullopt;
  }
  if (keys.size() == 4 && keys[2] == "radios") {
    return keys[1] + "." + keys[3];
  }
  return keys.size() == 2 ? std::optional(keys[1]) : std::nullopt;
}

}  // namespace

std::vector<std::string> keys_of_path(const YAML::Node& root, const std::string& path) {
  std::vector<std::string> keys(1);
  for (const char c : path) {
    if (c == '.') {
      keys.emplace_back();
    } else {
      keys.back() += c;
    }
  }
  if (keys.front() == "links") {
    join_radio(root, keys, 1);
    join_radio(root, keys, 2);
  }
  return keys;
}

void assign(YAML::Node root, const std::string& file, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == 0 || equals == std::string::npos) {
    refuse(file, assignment, "is not of the form KEY=VALUE; example: links.red.blue.delay=5ms");
  }
  std::vector<std::string> keys = keys_of_path(root, assignment.substr(0, equals));
  const auto deepest = static_cast<std::size_t>(kDeepestYaml);
  if (keys.size() > deepest || line_of_deep_yaml(assignment) > 0) {
    refuse(file, assignment.substr(0, deepest), fmt::format("is nested deeper than {} keys or brackets", kDeepestYaml));
  }
  YAML::Node value;
  try {
    value = placeless(load_only_document(assignment.substr(equals + 1), assignment.substr(0, equals)));
  } catch (const YAML::Exception& error) {
    refuse(file, assignment, std::string("the value is not valid YAML: ") + error.msg);
  }
  if (keys.front() == "links") {
    if (keys.size() < 4) {
      refuse(file, assignment,
             "does not name a key of a link; write links.FROM.TO.KEY, for example links.red.blue.delay=5ms");
    }
    if (keys.size() == 4) {
      forget(root, keys[1], keys[2], keys[3]);
      if (value.IsNull()) {
        return;
      }
    }
    root.reset(item_for(root, keys[1], keys[2]));
    keys.erase(keys.begin(), keys.begin() + 3);
  }
  if (const auto removed = removed_robot(keys); removed && value.IsNull()) {
    forget_robot(root, *removed);
  }
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    const YAML::Node next = std::as_const(root)[keys[i]];  // else yaml-cpp would make an undefined value of the key
    if (!next || !next.IsMap()) {
      put_value(root, keys[i], YAML::Node(YAML::NodeType::Map));
    }
    root.reset(root[keys[i]]);
  }
  put_value(root, keys.back(), value);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/document/config_assignment.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "config/assignment_key.h"
#include "config/config_file.h"
#include "config/radio_name.h"
#include "config/yaml_tree.h"

namespace hilgate {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& assignment, const std::string& why) {
  throw ConfigError({{file, 0, fmt::format("'{}'", assignment), why}});
}

/// What an assignment is about: a link, or the frames of a link that match a filter.
struct AssignedLink {
  std::string from, to, filter;
};

bool is_for(const YAML::Node& item, const AssignedLink& link) {
  return item.IsMap() && item["from"] && item["to"] && item["from"].as<std::string>("") == link.from &&
         item["to"].as<std::string>("") == link.to && has_filter(item, link.filter);
}

// Of the items for just this link none has the key any more: a later one would win over them anyway, and a document
// that is changed all the time must not grow.
void forget(YAML::Node root, const AssignedLink& link, const std::string& key) {
  const std::size_t naming_keys = link.filter.empty() ? 2 : 3;
  YAML::Node kept(YAML::NodeType::Sequence);
  for (YAML::Node item : root["links"]) {
    const bool is_its = is_for(item, link);
    if (is_its) {
      item.remove(key);
    }
    if (!is_its || item.size() > naming_keys) {
      kept.push_back(item);
    }
  }
  put_value(root, "links", kept.size() > 0 ? kept : YAML::Node());
}

// The last item for just this link, so that it overrides all others, or a new one at the end. That of a filter stays
// where it is, because the first filter that a frame matches decides.
YAML::Node item_for(YAML::Node root, const AssignedLink& link) {
  YAML::Node links = root["links"];
  const std::size_t size = links ? links.size() : 0;
  for (std::size_t i = size; i > (link.filter.empty() && size > 0 ? size - 1 : 0); --i) {
    YAML::Node item = links[i - 1];
    if (is_for(item, link)) {
      return item;
    }
  }
  YAML::Node item;
  item["from"] = link.from;
  item["to"] = link.to;
  if (!link.filter.empty()) {
    item["filter"] = link.filter;
  }
  root["links"].push_back(item);
  return root["links"][root["links"].size() - 1];
}

void remove_from(YAML::Node map, const std::string& name) {
  if (map && map.IsMap()) {
    map.remove(name);
  }
}

// Whether the end of a link names nobody but the robot, or its radios; of a list these are removed.
bool loses_its_last(YAML::Node item, const char* end, const std::string& robot) {
  if (!item.IsMap() || !item[end] || !item[end].IsSequence()) {
    return item.IsMap() && item[end] && stands_for(robot, item[end].as<std::string>(""));
  }
  YAML::Node others(YAML::NodeType::Sequence);
  for (const YAML::Node& name : item[end]) {
    if (!stands_for(robot, name.as<std::string>(""))) {
      others.push_back(name);
    }
  }
  if (others.size() < item[end].size()) {
    item[end] = others;
  }
  return others.size() == 0;
}

// What names a robot goes with it.
void forget_robot(YAML::Node root, const std::string& robot) {
  YAML::Node kept(YAML::NodeType::Sequence);
  for (YAML::Node item : root["links"]) {
    if (!loses_its_last(item, "from", robot) && !loses_its_last(item, "to", robot)) {
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
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (const std::size_t end = end_of_filter(path, at); end != std::string::npos) {
      keys.push_back(path.substr(at, end - at));
      at = end - 1;
    } else if (path[at] == '.') {
      keys.emplace_back();
    } else {
      keys.back() += path[at];
    }
  }
  if (keys.front() == "links") {
    join_radio(root, keys, 1);
    join_radio(root, keys, 2);
  }
  return keys;
}

std::string take_filter(std::vector<std::string>& keys) {
  constexpr std::size_t kPlace = 3;  // after links, FROM, TO
  if (keys.size() <= kPlace || !keys[kPlace].starts_with(kFilterBegins)) {
    return {};
  }
  const std::string key = keys[kPlace];
  keys.erase(keys.begin() + kPlace);
  return key.substr(kFilterBegins.size(), key.size() - kFilterBegins.size() - kFilterEnds.size());
}

bool has_filter(const YAML::Node& item, const std::string& filter) {
  return (item["filter"] ? item["filter"].as<std::string>("") : std::string()) == filter;
}

void assign(YAML::Node root, const std::string& file, const std::string& assignment) {
  const std::size_t equals = end_of_key(assignment);
  if (equals == 0 || equals == std::string::npos) {
    refuse(file, assignment, "is not of the form KEY=VALUE; example: links.red.blue.delay=5ms");
  }
  std::vector<std::string> keys = keys_of_path(root, assignment.substr(0, equals));
  const auto deepest = static_cast<std::size_t>(kDeepestYaml);
  if (keys.size() > deepest || line_of_deep_yaml(assignment) > 0) {
    refuse(file, assignment.substr(0, deepest), fmt::format("is nested deeper than {} keys or brackets", kDeepestYaml));
  }
  if (is_extension("", keys.front())) {
    refuse(file, assignment, "has no effect: keys x-... are for the file alone; give the keys that it stands for");
  }
  YAML::Node value;
  try {
    value = placeless(load_only_document(assignment.substr(equals + 1), assignment.substr(0, equals)));
  } catch (const YAML::Exception& error) {
    refuse(file, assignment, std::string("the value is not valid YAML: ") + error.msg);
  }
  if (keys.front() == "links" || keys.front().starts_with("links[")) {
    const std::string filter = take_filter(keys);
    if (keys.size() < 4 || keys.front() != "links") {
      refuse(file, assignment,
             "does not name a key of a link; write links.FROM.TO.KEY, for example links.red.blue.delay=5ms");
    }
    const AssignedLink link{keys[1], keys[2], filter};
    if (keys.size() == 4 && (value.IsNull() || filter.empty())) {
      forget(root, link, keys[3]);
    }
    if (keys.size() == 4 && value.IsNull()) {
      return;
    }
    root.reset(item_for(root, link));
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

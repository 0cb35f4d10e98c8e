// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/document/config_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

#include "config/assignment_key.h"
#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/radio_name.h"
#include "config/yaml_tree.h"

namespace hilgate {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& assignment, const std::string& why) {
  throw ConfigError({{file, 0, fmt::format("'{}'", shown(assignment)), why}});
}

std::optional<AssignedLink> link_of(const YAML::Node& item) {
  if (!item.IsMap() || !item["from"] || !item["to"]) {
    return std::nullopt;
  }
  return AssignedLink{item["from"].as<std::string>(""), item["to"].as<std::string>(""),
                      item["filter"] ? item["filter"].as<std::string>("") : std::string()};
}

// The list is in the tree before its items: yaml-cpp copies the set of a tree's nodes to that of what the tree is put
// into, and would copy all of them for a list of its own.
void put_links(YAML::Node root, const std::vector<YAML::Node>& items) {
  if (items.empty()) {
    return put_value(root, "links", YAML::Node());
  }
  YAML::Node list(YAML::NodeType::Sequence);
  put_value(root, "links", list);
  for (const YAML::Node& item : items) {
    list.push_back(item);
  }
}

bool remove_from(YAML::Node map, const std::string& name) {
  return map && map.IsMap() && map.remove(name);
}

enum class Loss : std::uint8_t { kNothing, kSome, kAll };  // of the names at an end of a link

// Takes the robot, or its radios, from a list; of a single name it only reports the loss.
Loss take_from_end(YAML::Node item, const char* end, const std::string& robot) {
  if (!item.IsMap() || !item[end] || !item[end].IsSequence()) {
    return item.IsMap() && item[end] && stands_for(robot, item[end].as<std::string>("")) ? Loss::kAll : Loss::kNothing;
  }
  std::vector<std::string> others;
  for (const YAML::Node& name : item[end]) {
    if (auto other = name.as<std::string>(""); !stands_for(robot, other)) {
      others.push_back(std::move(other));
    }
  }
  if (others.empty()) {
    return Loss::kAll;
  }
  if (others.size() == item[end].size()) {
    return Loss::kNothing;
  }
  item[end] = others;
  return Loss::kSome;
}

// What names a robot goes with it. Returns whether there was anything.
bool forget_robot(YAML::Node root, const std::string& robot) {
  bool changed = false;
  bool lost_items = false;
  std::vector<YAML::Node> kept;
  for (YAML::Node item : root["links"]) {
    const Loss from = take_from_end(item, "from", robot);
    const Loss to = from == Loss::kAll ? Loss::kNothing : take_from_end(item, "to", robot);
    changed = changed || from != Loss::kNothing || to != Loss::kNothing;
    if (from == Loss::kAll || to == Loss::kAll) {
      lost_items = true;
    } else {
      kept.push_back(item);
    }
  }
  if (lost_items) {
    put_links(root, kept);
  }
  for (const char* list : {"tracks", "start"}) {
    if (root["physics"] && root["physics"].IsMap()) {
      changed = remove_from(root["physics"][list], robot) || changed;
    }
  }
  if (root["lab"] && root["lab"].IsMap()) {
    changed = remove_from(root["lab"]["attach"], robot) || changed;
  }
  return changed;
}

// Names of radios are no keys of links and no names of robots, so there is one way to read a path.
void join_radio(RadioNames& radios, std::vector<std::string>& keys, std::size_t end) {
  if (end + 1 < keys.size() && radios.contains(keys[end], keys[end + 1])) {
    keys[end] += "." + keys[end + 1];
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(end) + 1);
  }
}

// Most values are a word or a number with its unit, for which a parser costs a hundred times as much as the node.
YAML::Node value_of(const std::string& text, const std::string& key) {
  if (is_plain_scalar(text)) {
    YAML::Node value(text);
    value.SetTag("?");  // as a parser has it for what is not quoted
    return value;
  }
  return placeless(load_only_document(text, key));
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

// Returns whether that changes anything: taking away what is not there does not.
bool put_at(YAML::Node map, const std::vector<std::string>& keys, const YAML::Node& value) {
  bool changed = !value.IsNull();
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    const YAML::Node next = std::as_const(map)[keys[i]];  // else yaml-cpp would make an undefined value of the key
    if (!next || !next.IsMap()) {
      put_value(map, keys[i], YAML::Node(YAML::NodeType::Map));
      changed = true;
    }
    map.reset(map[keys[i]]);
  }
  changed = changed || (map.IsMap() && std::as_const(map)[keys.back()].IsDefined());
  put_value(map, keys.back(), value);
  return changed;
}

}  // namespace

bool RadioNames::contains(const std::string& robot, const std::string& radio) {
  if (!names_) {
    names_.emplace();
    const YAML::Node robots = root_.IsMap() ? std::as_const(root_)["robots"] : YAML::Node();
    for (const auto& pair : robots&& robots.IsMap() ? robots : YAML::Node(YAML::NodeType::Map)) {
      const YAML::Node radios = pair.second.IsMap() ? std::as_const(pair.second)["radios"] : YAML::Node();
      for (const auto& its : radios&& radios.IsMap() ? radios : YAML::Node(YAML::NodeType::Map)) {
        names_->emplace(pair.first.as<std::string>(""), its.first.as<std::string>(""));
      }
    }
  }
  return names_->contains({robot, radio});
}

std::vector<std::string> keys_of_path(RadioNames& radios, const std::string& path) {
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
    join_radio(radios, keys, 1);
    join_radio(radios, keys, 2);
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

/// The items of `links`, in their order, and where those for just one link are: a change among thousands of links costs
/// as much as one among few.
class AssignedTree::LinkItems {
 public:
  explicit LinkItems(const YAML::Node& root) {
    const YAML::Node links = root["links"];
    if (links && links.IsSequence()) {
      for (const YAML::Node& item : links) {
        add(item, link_of(item));
      }
    }
  }

  // Of the items for just this link none has the key any more: a later one would win over them anyway, and a document
  // that is changed all the time must not grow.
  bool forget(const AssignedLink& link, const std::string& key) {
    const auto own = of_link_.find(link);
    if (own == of_link_.end()) {
      return false;
    }
    bool changed = false;
    std::erase_if(own->second, [&](std::size_t place) {
      YAML::Node item = *items_[place];
      changed = item.remove(key) || changed;
      if (item.size() > link.naming_keys()) {
        return false;
      }
      items_[place].reset();
      changed = true;
      return true;
    });
    while (!items_.empty() && !items_.back()) {
      items_.pop_back();
    }
    return changed;
  }

  // The last item for just this link, so that it overrides all others, or a new one at the end. That of a filter stays
  // where it is, because the first filter that a frame matches decides.
  YAML::Node item_for(const AssignedLink& link) {
    const std::vector<std::size_t>& own = of_link_[link];
    if (!own.empty() && (!link.filter.empty() || own.back() + 1 == items_.size())) {
      return *items_[own.back()];
    }
    YAML::Node item;
    item["from"] = link.from;
    item["to"] = link.to;
    if (!link.filter.empty()) {
      item["filter"] = link.filter;
    }
    add(item, link);
    return item;
  }

  void put_into(YAML::Node root) const {
    std::vector<YAML::Node> kept;
    for (const std::optional<YAML::Node>& item : items_) {
      if (item) {
        kept.push_back(*item);
      }
    }
    put_links(std::move(root), kept);
  }

 private:
  void add(const YAML::Node& item, const std::optional<AssignedLink>& link) {
    if (link) {
      of_link_[*link].push_back(items_.size());
    }
    items_.emplace_back(item);
  }

  std::vector<std::optional<YAML::Node>> items_;  // empty: taken away
  std::map<AssignedLink, std::vector<std::size_t>> of_link_;
};

AssignedTree::AssignedTree(const YAML::Node& root, std::string file)
    : root_(root), file_(std::move(file)), radios_(root) {}

AssignedTree::~AssignedTree() = default;

AssignedTree::LinkItems& AssignedTree::links() {
  if (links_ == nullptr) {
    links_ = std::make_unique<LinkItems>(root_);
  }
  return *links_;
}

const YAML::Node& AssignedTree::tree() {
  if (links_ != nullptr) {
    links_->put_into(root_);
    links_.reset();
  }
  return root_;
}

bool AssignedTree::assign(const std::string& assignment) {
  const std::size_t equals = end_of_key(assignment);
  if (equals == 0 || equals == std::string::npos) {
    refuse(file_, assignment, "is not of the form KEY=VALUE; example: links.red.blue.delay=5ms");
  }
  std::vector<std::string> keys = keys_of_path(radios_, assignment.substr(0, equals));
  const auto deepest = static_cast<std::size_t>(kDeepestYaml);
  if (keys.size() > deepest || line_of_deep_yaml(assignment) > 0) {
    refuse(file_, assignment, fmt::format("is nested deeper than {} keys or brackets", kDeepestYaml));
  }
  if (is_extension("", keys.front())) {
    refuse(file_, assignment, "has no effect: keys x-... are for the file alone; give the keys that it stands for");
  }
  YAML::Node value;
  try {
    value = value_of(assignment.substr(equals + 1), assignment.substr(0, equals));
  } catch (const YAML::Exception& error) {
    refuse(file_, assignment, std::string("the value is not valid YAML: ") + error.msg);
  }
  if (keys.front() == "links" || keys.front().starts_with("links[")) {
    return assign_to_link(assignment, std::move(keys), value);
  }
  bool changed = false;
  if (const auto removed = removed_robot(keys); removed && value.IsNull()) {
    static_cast<void>(tree());
    changed = forget_robot(root_, *removed);
  }
  if (keys.front() == "robots") {
    radios_.look_again();
  }
  return put_at(root_, keys, value) || changed;
}

bool AssignedTree::assign_to_link(const std::string& assignment, std::vector<std::string> keys,
                                  const YAML::Node& value) {
  const std::string filter = take_filter(keys);
  if (keys.size() < 4 || keys.front() != "links") {
    refuse(file_, assignment,
           "does not name a key of a link; write links.FROM.TO.KEY, for example links.red.blue.delay=5ms");
  }
  const AssignedLink link{keys[1], keys[2], filter};
  bool changed = false;
  if (keys.size() == 4 && (value.IsNull() || filter.empty())) {
    changed = links().forget(link, keys[3]);
  }
  if (keys.size() == 4 && value.IsNull()) {
    return changed;
  }
  keys.erase(keys.begin(), keys.begin() + 3);
  const YAML::Node item = links().item_for(link);
  const bool is_new = item.size() == link.naming_keys();
  return put_at(item, keys, value) || is_new;
}

}  // namespace hilgate

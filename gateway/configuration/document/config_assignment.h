// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hilgate {

/// Which robots have which radios. Looks once, when it is first asked.
class RadioNames {
 public:
  /// Of a configuration.
  explicit RadioNames(const YAML::Node& root) : root_(root) {}

  [[nodiscard]] bool contains(const std::string& robot, const std::string& radio);
  /// Robots have changed.
  void look_again() { names_.reset(); }

 private:
  YAML::Node root_;
  std::optional<std::set<std::pair<std::string, std::string>>> names_;
};

/// The keys of a path that are joined by dots; a filter is one as it stands, ["udp port 14550"]. Of a path into `links`
/// the two ends are a key each, also where they name a radio: {"links", "red.sik", "blue", "delay"}.
std::vector<std::string> keys_of_path(RadioNames& radios, const std::string& path);

/// The filter of the path of a link, links.FROM.TO["FILTER"].KEY, which is taken from the keys; empty without.
std::string take_filter(std::vector<std::string>& keys);

/// Whether what an item of `links` has as `filter` is this one; empty: it has none.
bool has_filter(const YAML::Node& item, const std::string& filter);

/// What an assignment is about: a link, or the frames of a link that match a filter.
struct AssignedLink {
  std::string from, to, filter;

  /// How many keys an item of `links` has for these.
  [[nodiscard]] std::size_t naming_keys() const { return filter.empty() ? 2 : 3; }
  auto operator<=>(const AssignedLink&) const = default;
};

/// A configuration while assignments are laid over it, one after the other. One of a link costs the same however many
/// links there are.
class AssignedTree {
 public:
  /// Takes the tree over; `file` names it in faults.
  AssignedTree(const YAML::Node& root, std::string file);
  AssignedTree(const AssignedTree&) = delete;
  AssignedTree& operator=(const AssignedTree&) = delete;
  ~AssignedTree();

  /// Applies KEY=VALUE, as ConfigDocument::with(). Returns whether it has an effect: taking away what is not there has
  /// none. Throws ConfigError that names it and the file.
  bool assign(const std::string& assignment);

  /// With all of them.
  [[nodiscard]] const YAML::Node& tree();

 private:
  class LinkItems;
  LinkItems& links();
  bool assign_to_link(const std::string& assignment, std::vector<std::string> keys, const YAML::Node& value);

  YAML::Node root_;
  std::string file_;
  RadioNames radios_;
  std::unique_ptr<LinkItems> links_;  // while the tree lacks changes of `links`
};

}  // namespace hilgate

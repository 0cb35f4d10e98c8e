// SPDX-License-Identifier: Apache-2.0
// Changes of a YAML text that leave the rest of it, with its comments, as people wrote it.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace hilgate {

/// A key of a map, or the number of an item of a list; one after the last is a new item.
using YamlStep = std::variant<std::string, std::size_t>;
using YamlPath = std::vector<YamlStep>;

/// "robots.red.ip[0]".
std::string path_text(const YamlPath& path);

struct YamlChange {
  YamlPath path;                     // with at least one step; maps that lack on the way are made
  std::optional<std::string> value;  // YAML of one value; absent: what is there is removed
};

struct EditedYaml {
  std::string text;
  std::vector<std::string> lost_comments;  // that were in what is removed or replaced
};

/// what() begins with the path.
class YamlEditError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text with one value changed. Its tree is that of the old text with that change, and nothing else: where this
/// cannot be had by writing in one place, as for a value that others have by an alias, it throws YamlEditError; also
/// for a `value` that is no YAML, a removal of what is not there, and a text that is no YAML.
EditedYaml edited_yaml(const std::string& text, const YamlChange& change);

}  // namespace hilgate

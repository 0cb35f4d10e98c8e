// SPDX-License-Identifier: Apache-2.0
// YAML trees: the lines of their nodes, aliases and merge keys written out, and changes that leave a tree's other nodes
// as they are.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>

namespace hilgate {

/// The first line of a node, from 1; 0 for one that is in no file. A map or list without a place of its own has that of
/// the first node in it.
int line_of(const YAML::Node& node);

/// The path of a key below `path`: "ports.red".
inline std::string path_to(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

/// Whether a key below `path` is for other programs, and for maps that are named by anchors: x-... at the top level.
inline bool is_extension(const std::string& path, std::string_view key) {
  return path.empty() && key.starts_with("x-");
}

inline constexpr int kDeepestYaml = 100;

/// The line of a YAML text on which brackets are nested deeper than kDeepestYaml; 0 when none is. The parser would take
/// hundreds of bytes for each bracket before it refuses. Brackets in quotes and comments count for nothing.
int line_of_deep_yaml(std::string_view text);

/// The tree of a text with one YAML document. Each alias is a copy of what it names, and merge keys, `<<: *defaults` or
/// `<<: [*one, *other]`, are the keys that they merge: a map's own keys win, then those of the first map merged (YAML
/// 1.1, type merge). Throws YAML::Exception for what is not YAML; ConfigError for a second document with content, which
/// would not be read, merge keys of other values, aliases within themselves, and trees that aliases make larger
/// than 200 000 nodes.
YAML::Node load_only_document(const std::string& text, const std::string& file);

/// Whether a text is the YAML of just this text, and not of null: it begins with a letter or digit, and has only such,
/// blanks within and "._/%+-". Others may be as well.
bool is_plain_scalar(std::string_view text);

/// A copy of all nodes, without positions in a file, each of its own: the emitter writes no anchors for it. Throws
/// YAML::Exception for one that is nested deeper than kDeepestYaml.
YAML::Node placeless(const YAML::Node& value, int depth = 0);

/// Gives `key` of `map` another value, or takes it away where that is null. Keys stay in their order, and nodes that
/// have been in the map are not written to: they may be shared.
void put_value(YAML::Node map, const std::string& key, const YAML::Node& value);

/// A tree as `root`, but that `key` of `map`, a map in it, has the value `word`.
YAML::Node with_word(const YAML::Node& root, const YAML::Node& map, const std::string& key, const std::string& word);

}  // namespace hilgate

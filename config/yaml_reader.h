// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/quantity.h"
#include "config/yaml_tree.h"

namespace hilgate {

// Keys that files of earlier versions may have: an upgrade must not stop what has run so far.

struct OldKey {
  /// Keys joined by dots; "*" is any key of a map and any item of a list: "links.*.jitter".
  std::string_view path;
  /// What it is called now, in the same map, with the same meaning; empty: it has no effect any more.
  std::string_view now;
  /// For people, what replaces a key without effect: "the radio profile has it".
  std::string_view note{};
};

// Strict reading of YAML: a cursor that knows its path and line, and collects every fault instead of stopping.
//
//   YamlDocument document = YamlDocument::load("two-robots.yaml");
//   YamlReader root = document.root();
//   config.window = root.required<Nanoseconds>("window");
//   for (auto& [name, port] : root.entries("ports")) { ... port.required<std::string>("interface") ... }
//   document.finish();  // throws ConfigError with all faults, unknown and duplicate keys included
//
// A key is known when it was asked for, in whatever way; finish() rejects all others in the maps that were
// visited, but for keys `x-...` at the top level, which are for anchors and other programs. Readers point into their
// document and must not outlive it. After a fault a reader answers with default values, so that reading continues to
// the next fault.

class YamlReader;

class YamlDocument {
 public:
  /// Throws ConfigError when the file cannot be read or is no YAML.
  static YamlDocument load(const std::string& file);
  /// `file` only names the text in faults.
  static YamlDocument parse(const std::string& text, const std::string& file);

  /// A tree that has been parsed; nodes without a position in a text have line 0. Takes the tree over.
  static YamlDocument of(const YAML::Node& root, const std::string& file);

  /// Before reading: renames keys of earlier versions to their present names, or drops them. Returns a line for each,
  /// "FILE:LINE: PATH: ..."; a key that is present under both names is a fault.
  [[nodiscard]] std::vector<std::string> replace_old_keys(std::span<const OldKey> table);
  /// Whether replace_old_keys() would find any in a tree.
  [[nodiscard]] static bool has_old_keys(const YAML::Node& root, std::span<const OldKey> table);
  [[nodiscard]] YamlReader root();
  /// Reads a document as this one was read.
  using Reread = std::function<void(YamlDocument&)>;
  /// Call once after reading: throws ConfigError if there was any fault. With `reread`, an unknown key that is known
  /// where a choice of its map, as `type`, has another value is said to belong to that value.
  void finish(const Reread& reread = {});
  /// Paths of all keys that were asked for so far, in the maps that are there. Sorted.
  [[nodiscard]] std::vector<std::string> known_keys() const;
  /// The files that it names, as far as they were asked for by file_of() and file_named().
  [[nodiscard]] const std::vector<FileReference>& references() const { return state_->references; }
  [[nodiscard]] const std::string& file() const { return state_->file; }

 private:
  friend class YamlReader;
  struct VisitedMap {
    YAML::Node node;
    std::vector<std::string> known{};
    std::set<std::string, std::less<>> known_names{};                         // the same, to be looked up
    std::map<std::string, std::pair<YAML::Node, int>, std::less<>> values{};  // by key, with their lines
    std::set<std::string, std::less<>> missed{};                              // each reported once
    std::map<std::string, std::vector<std::string>> choices{};                // by key: the words that it may be
  };
  struct State {
    std::string file;
    YAML::Node root;
    std::vector<Fault> faults;
    std::map<std::string, VisitedMap> maps;  // by path
    std::set<std::string> not_maps;          // paths that were to be maps, each reported once
    std::vector<FileReference> references;
  };
  YamlDocument() = default;
  void report_unknown(const Reread& reread);
  [[nodiscard]] std::map<std::string, std::string> owners_of(const std::set<std::string>& keys, const std::string& path,
                                                             const Reread& reread) const;
  std::unique_ptr<State> state_ = std::make_unique<State>();
};

class YamlReader {
 public:
  using Entry = std::pair<std::string, YamlReader>;

  /// The value of `key`; a fault and T{} when it is missing or no T.
  template <class T>
  T required(std::string_view key) {
    return read<T>(find(key, true)).value_or(T{});
  }
  /// Nothing when the key is missing; also (with a fault) when it is no T.
  template <class T>
  std::optional<T> optional(std::string_view key) {
    return read<T>(find(key, false));
  }
  template <class T>
  T optional(std::string_view key, T otherwise) {
    return optional<T>(key).value_or(std::move(otherwise));
  }
  /// One of the named values, by its name; `otherwise`, where given, when the key is missing.
  template <class E>
  E choice(std::string_view key, const std::vector<std::pair<std::string, E>>& names,
           std::optional<E> otherwise = std::nullopt);

  /// The map or sequence under `key`. When missing it is a fault (once) and the reader is absent().
  [[nodiscard]] YamlReader child(std::string_view key);
  [[nodiscard]] std::optional<YamlReader> optional_child(std::string_view key);
  /// All entries of the map under `key` (of this map), in the order of the file. Empty when missing.
  [[nodiscard]] std::vector<Entry> entries(std::string_view key);
  [[nodiscard]] std::vector<Entry> entries();
  /// All items of the sequence under `key` (of this sequence). Empty when missing.
  [[nodiscard]] std::vector<YamlReader> items(std::string_view key);
  [[nodiscard]] std::vector<YamlReader> items();
  /// The scalars under `key`: a sequence, or a single one. Empty when missing.
  template <class T>
  std::vector<T> list(std::string_view key);

  /// This node itself, a scalar. Required for entries of sequences and maps.
  template <class T>
  T as() {
    return read<T>(*this).value_or(T{});
  }

  /// The file that is named under `key`, which must be there (referenced_file()), or by `name` here.
  [[nodiscard]] std::filesystem::path file_of(std::string_view key) { return file_named(required<std::string>(key)); }
  [[nodiscard]] std::filesystem::path file_named(const std::string& name) const;

  /// The node, as YAML on one line.
  [[nodiscard]] std::string flow_text() const;

  [[nodiscard]] bool has(std::string_view key) { return !find(key, false).absent(); }
  /// Whether there is a value at a path of keys joined by dots. Makes no key known.
  [[nodiscard]] bool contains(std::string_view dotted_path) const;
  [[nodiscard]] bool absent() const { return !present_; }
  [[nodiscard]] bool is_scalar() const { return present_ && node_.IsScalar(); }
  [[nodiscard]] bool is_map() const { return present_ && node_.IsMap(); }
  [[nodiscard]] bool is_sequence() const { return present_ && node_.IsSequence(); }
  /// How many keys this map, or items this sequence has, known or not.
  [[nodiscard]] std::size_t size() const { return present_ ? node_.size() : 0; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& file() const { return state_->file; }
  [[nodiscard]] int line() const { return line_; }

  /// Something is wrong with this node, or with the value of `key` in it.
  void fault(std::string text) const;
  void fault(std::string_view key, std::string text) const;
  /// Something is wrong elsewhere, in a file that this node names.
  void fault(Fault elsewhere) const;
  /// "FILE:LINE" of this node.
  [[nodiscard]] std::string place() const { return state_->file + ":" + std::to_string(line_); }

 private:
  friend class YamlDocument;
  YamlReader(YamlDocument::State& state, YAML::Node node, std::string path, int line);
  [[nodiscard]] YamlReader nowhere(std::string path) const;
  /// Marks the key as known. An absent reader when it is not there; a fault too when `must_be`.
  YamlReader find(std::string_view key, bool must_be) const;
  [[nodiscard]] std::optional<std::string> scalar_text() const;
  void note_choice(std::string_view key, const std::vector<std::string>& words) const;
  bool visit() const;  // registers a map; false, with a fault, when this is no map
  template <class T>
  static std::optional<T> read(const YamlReader& node);

  YamlDocument::State* state_;
  YAML::Node node_;
  std::string path_;
  int line_;
  bool present_ = true;
};

template <class T>
std::optional<T> YamlReader::read(const YamlReader& node) {
  const std::optional<std::string> text = node.scalar_text();
  if (!text) {
    return std::nullopt;
  }
  try {
    return parse_text<T>(*text);
  } catch (const std::invalid_argument& error) {
    node.fault(error.what());
    return std::nullopt;
  }
}

/// Out of line of choice(): the fault for a name that is not in `names`.
std::string no_such_choice(std::string_view name, const std::vector<std::string>& names);

template <class E>
E YamlReader::choice(std::string_view key, const std::vector<std::pair<std::string, E>>& names,
                     std::optional<E> otherwise) {
  const YamlReader node = find(key, !otherwise.has_value());
  const std::optional<std::string> name = node.scalar_text();
  std::vector<std::string> known;
  std::optional<E> chosen;
  for (const auto& [word, value] : names) {
    if (name && *name == word) {
      chosen = value;
    }
    known.push_back(word);
  }
  note_choice(key, known);
  if (chosen) {
    return *std::move(chosen);
  }
  if (name) {
    node.fault(no_such_choice(*name, known));
  }
  return otherwise.value_or(E{});
}

template <class T>
std::vector<T> YamlReader::list(std::string_view key) {
  YamlReader node = find(key, false);
  std::vector<T> values;
  if (node.is_scalar()) {
    values.push_back(node.as<T>());
  } else if (!node.absent()) {
    for (YamlReader& item : node.items()) {
      values.push_back(item.as<T>());
    }
  }
  return values;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/plain_text.h"

namespace hilgate {
namespace {

constexpr std::string_view kMergeKey = "<<";

// A quoted one is a key as any other.
bool is_merge_key(const YAML::Node& key) {
  return key.IsScalar() && key.Scalar() == kMergeKey && key.Tag() != "!";
}

/// New maps and lists in the memory of a tree. yaml-cpp keeps a set of nodes for each tree, and copies the set of what
/// is put into a node to that of the node: a new list would copy all nodes of the tree once more.
class TreeMemory {
 public:
  explicit TreeMemory(const YAML::Node& root) { all_.push_back(root); }

  /// As `node`, and empty.
  YAML::Node empty_as(const YAML::Node& node) {
    YAML::Node copy(node.Type());
    all_.push_back(copy);
    copy.SetStyle(node.Style());
    if (!node.Tag().empty()) {
      copy.SetTag(node.Tag());
    }
    return copy;
  }

 private:
  YAML::Node all_{YAML::NodeType::Sequence};
};

/// Maps and lists are copied, scalars are those of the tree, with their lines.
class TreeCopy {
 public:
  TreeCopy(const YAML::Node& root, const std::string& file) : file_(file), memory_(root) {}

  YAML::Node copy(const YAML::Node& node, int depth = 0) {
    constexpr std::size_t kMostNodes = 200'000;
    if (depth > kDeepestYaml || ++nodes_ > kMostNodes) {
      throw ConfigError(
          {{file_, line_of(node), "",
            depth > kDeepestYaml
                ? fmt::format("is nested deeper than {} levels, as an alias within what it names is", kDeepestYaml)
                : fmt::format("has more than {} values, with what its aliases name", kMostNodes)}});
    }
    if (node.IsSequence()) {
      YAML::Node list = memory_.empty_as(node);
      for (const auto& item : node) {
        list.push_back(copy(item, depth + 1));
      }
      return list;
    }
    return node.IsMap() ? copy_map(node, depth) : node;
  }

 private:
  YAML::Node copy_map(const YAML::Node& node, int depth) {
    YAML::Node map = memory_.empty_as(node);
    std::set<std::string> own;
    std::vector<YAML::Node> merged;
    for (const auto& pair : node) {
      if (is_merge_key(pair.first)) {
        merge(pair.first, pair.second, depth, merged);
        continue;
      }
      map.force_insert(pair.first, copy(pair.second, depth + 1));
      if (pair.first.IsScalar()) {
        own.insert(pair.first.Scalar());
      }
    }
    for (const YAML::Node& other : merged) {
      for (const auto& pair : other) {
        if (!pair.first.IsScalar() || own.insert(pair.first.Scalar()).second) {
          map.force_insert(pair.first, pair.second);
        }
      }
    }
    return map;
  }

  // Copies of the maps that a merge key names, the first of which wins.
  void merge(const YAML::Node& key, const YAML::Node& value, int depth, std::vector<YAML::Node>& merged) {
    const auto add = [&](const YAML::Node& map) {
      if (!map.IsMap()) {
        throw ConfigError({{file_, line_of(key), "", "'<<' merges maps alone, as `<<: *defaults`, or a list of them"}});
      }
      merged.push_back(copy(map, depth + 1));
    };
    if (!value.IsSequence()) {
      return add(value);
    }
    for (const auto& map : value) {
      add(map);
    }
  }

  const std::string& file_;
  TreeMemory memory_;
  std::size_t nodes_ = 0;
};

/// Where the document begins that a parser has passed, and where its content does.
class DocumentPlaces : public YAML::EventHandler {
 public:
  YAML::Mark start;
  std::optional<YAML::Mark> content;  // absent of a document that holds nothing

  void OnDocumentStart(const YAML::Mark& mark) override {
    start = mark;
    content.reset();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { note(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {
    note(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    note(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    note(mark);
  }
  void OnMapEnd() override {}

 private:
  void note(const YAML::Mark& mark) {
    if (!content) {
      content = mark;
    }
  }
};

// A comma outside of brackets is an empty document for yaml-cpp, and remains: there are as many documents as are asked
// for (YAML::LoadAll takes memory until there is no more).
void require_one_document(const std::string& text, const std::string& file) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentPlaces places;
  int before = -1;
  for (bool is_first = true; parser.HandleNextDocument(places); is_first = false) {
    if (places.start.pos == before) {
      throw YAML::ParserException(places.start, "a ',' separates nothing here");
    }
    if (!is_first && places.content) {
      throw ConfigError({{file, places.content->line + 1, "",
                          "begins a second YAML document after '---', which would not be read; put both into one"}});
    }
    before = places.start.pos;
  }
}

}  // namespace

int line_of(const YAML::Node& node) {
  if (!node.Mark().is_null()) {
    return node.Mark().line + 1;
  }
  if ((!node.IsMap() && !node.IsSequence()) || node.size() == 0) {
    return 0;
  }
  return node.IsMap() ? line_of(node.begin()->first) : line_of(*node.begin());
}

int line_of_deep_yaml(std::string_view text) {
  constexpr std::string_view kApart = " \t\n[{,";  // behind which quotes and comments begin
  int depth = 0;
  int line = 1;
  char quote = 0;
  char before = '\n';
  bool comment = false;
  for (const char c : text) {
    const bool apart = kApart.find(before) != std::string_view::npos;
    if (c == '\n') {
      ++line;
      comment = false;
    } else if (quote != 0) {
      quote = c == quote && before != '\\' ? '\0' : quote;
    } else if (comment || (c == '#' && apart)) {
      comment = true;
    } else if ((c == '"' || c == '\'') && apart) {
      quote = c;
    } else if ((c == '[' || c == '{') && ++depth > kDeepestYaml) {
      return line;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
    before = c;
  }
  return 0;
}

YAML::Node load_only_document(const std::string& text, const std::string& file) {
  require_one_document(text, file);
  const YAML::Node document = YAML::Load(text);
  const bool is_plain = text.find('&') == std::string::npos && text.find(kMergeKey) == std::string::npos;
  return is_plain ? document : TreeCopy(document, file).copy(document);
}

bool is_plain_scalar(std::string_view text) {
  const auto is_alphanumeric = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !text.empty() && is_alphanumeric(text.front()) && text.back() != ' ' && in_small_letters(text) != "null" &&
         std::ranges::all_of(text, [&](char c) {
           return is_alphanumeric(c) || std::string_view(" ._/%+-").find(c) != std::string_view::npos;
         });
}

YAML::Node placeless(const YAML::Node& value, int depth) {
  if (depth > kDeepestYaml) {
    throw YAML::Exception(YAML::Mark::null_mark(), fmt::format("it is nested deeper than {} levels", kDeepestYaml));
  }
  YAML::Node copy(value.Type());
  if (value.IsScalar()) {
    copy = value.Scalar();
  }
  for (const auto& item : value) {
    if (value.IsSequence()) {
      copy.push_back(placeless(item, depth + 1));
    } else {
      copy.force_insert(placeless(item.first, depth + 1), placeless(item.second, depth + 1));
    }
  }
  if (!value.Tag().empty()) {
    copy.SetTag(value.Tag());
  }
  return copy;
}

void put_value(YAML::Node map, const std::string& key, const YAML::Node& value) {
  std::vector<std::pair<YAML::Node, YAML::Node>> pairs;
  bool is_there = false;
  for (const auto& pair : map) {
    const bool is_it = pair.first.IsScalar() && pair.first.Scalar() == key;
    if (!is_it || (!is_there && !value.IsNull())) {
      pairs.emplace_back(pair.first, is_it ? value : pair.second);
    }
    is_there = is_there || is_it;
  }
  if (!is_there) {
    if (!value.IsNull()) {
      map.force_insert(key, value);
    }
    return;
  }
  while (map.size() > 0) {
    map.remove(map.begin()->first);
  }
  for (const auto& [name, its] : pairs) {
    map.force_insert(name, its);
  }
}

YAML::Node with_word(const YAML::Node& root, const YAML::Node& map, const std::string& key, const std::string& word) {
  TreeMemory memory(root);
  const std::function<YAML::Node(const YAML::Node&)> copy = [&](const YAML::Node& node) -> YAML::Node {
    if (!node.IsMap() && !node.IsSequence()) {
      return node;
    }
    YAML::Node its = memory.empty_as(node);
    for (const auto& item : node) {
      if (node.IsSequence()) {
        its.push_back(copy(item));
      } else {
        its.force_insert(item.first, copy(item.second));
      }
    }
    if (node.is(map)) {
      put_value(its, key, YAML::Node(word));
    }
    return its;
  };
  return copy(root);
}

}  // namespace hilgate

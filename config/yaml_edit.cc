// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_edit.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "config/yaml_tree.h"

namespace hilgate {
namespace {

constexpr std::string_view kBlank = " \t";
constexpr std::string_view kNoPlainText = "[{\"'|>*";  // how values begin that are not plain
constexpr std::string_view kNoPlainWord = ",[]{}:#&*!|>'\"%@`?-";

// ------------------------------------------------------------------ trees

bool is_key(const YAML::Node& node, const YamlStep& step) {
  return node.IsScalar() && node.Scalar() == std::get<std::string>(step);
}

/// What is under a step; not valid (false) where nothing is.
YAML::Node child_of(const YAML::Node& node, const YamlStep& step) {
  if (const auto* number = std::get_if<std::size_t>(&step)) {
    return node.IsSequence() && *number < node.size() ? node[*number] : YAML::Node(YAML::NodeType::Undefined);
  }
  for (const auto& pair : node.IsMap() ? node : YAML::Node(YAML::NodeType::Map)) {
    if (is_key(pair.first, step)) {
      return pair.second;
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

bool is_there(const YAML::Node& node) {
  return node.IsDefined();
}

/// The tree with the change; `value` is not valid for a removal.
YAML::Node changed(const YAML::Node& node, const YamlPath& path, std::size_t depth, const YAML::Node& value) {
  if (depth == path.size()) {
    return value;
  }
  const YamlStep& step = path[depth];
  const bool is_last = depth + 1 == path.size();
  const bool is_list = std::holds_alternative<std::size_t>(step);
  YAML::Node copy(is_list ? YAML::NodeType::Sequence : YAML::NodeType::Map);
  bool is_found = false;
  std::size_t number = 0;
  if (is_there(node) && (node.IsScalar() || (is_list ? node.IsMap() : node.IsSequence()))) {
    throw YamlEditError(node.IsScalar() ? "is within a value that is no map and no list"
                        : is_list       ? "is in a map, which has no numbers"
                                        : "is in a list, which has no keys");
  }
  if (is_there(node) && (node.IsMap() || node.IsSequence())) {
    for (const auto& item : node) {
      const bool is_it = is_list ? std::get<std::size_t>(step) == number : is_key(item.first, step);
      if (is_it && is_found) {
        throw YamlEditError("is in a map that has one of its keys twice; take one of them away in the text");
      }
      is_found = is_found || is_it;
      ++number;
      if (is_it && is_last && !is_there(value)) {
        continue;
      }
      const YAML::Node& old = is_list ? static_cast<const YAML::Node&>(item) : item.second;
      const YAML::Node now = is_it ? changed(old, path, depth + 1, value) : old;
      is_list ? copy.push_back(now) : copy.force_insert(item.first, now);
    }
  }
  if (!is_found && is_there(value)) {
    if (is_list && std::get<std::size_t>(step) != number) {
      throw YamlEditError("is beyond the end of the list");
    }
    const YAML::Node now = changed(YAML::Node(YAML::NodeType::Undefined), path, depth + 1, value);
    is_list ? copy.push_back(now) : copy.force_insert(std::get<std::string>(step), now);
  }
  return copy;
}

std::string in_quotes(std::string_view text) {
  YAML::Emitter out;
  out << YAML::DoubleQuoted << std::string(text);
  return out.c_str();
}

/// The same text for the same tree, in whatever style and order of keys it is written, and another for any other tree.
std::string canonical(const YAML::Node& node, int depth = 0) {
  if (depth > kDeepestYaml) {
    throw YAML::Exception(YAML::Mark::null_mark(), "it is nested too deep");
  }
  if (node.IsMap()) {
    std::multimap<std::string, std::string> pairs;
    for (const auto& pair : node) {
      pairs.emplace(canonical(pair.first, depth + 1), canonical(pair.second, depth + 1));
    }
    std::string text = "{";
    for (const auto& [key, value] : pairs) {
      text += key + value;
    }
    return text + "}";
  }
  if (node.IsSequence()) {
    std::string text = "[";
    for (const auto& item : node) {
      text += canonical(item, depth + 1);
    }
    return text + "]";
  }
  return node.IsScalar() ? fmt::format("{}:{}", node.Scalar().size(), node.Scalar()) : "~";
}

// ------------------------------------------------------------------ text

struct Span {
  std::size_t begin = 0, end = 0;
};

/// A YAML text, and where its nodes are in it. Throws YamlEditError for what it does not know the end of.
class Places {
 public:
  explicit Places(const std::string& text) : text_(text) {}

  /// Of a node that is written there. `in_flow`: within brackets.
  [[nodiscard]] Span of(const YAML::Node& node, bool in_flow) const {
    const auto begin = static_cast<std::size_t>(std::max(0, node.Mark().pos));
    return {begin, end_of(node, in_flow)};
  }
  /// Of the value of a key.
  [[nodiscard]] Span of_value(const YAML::Node& key, const YAML::Node& value, bool in_flow) const {
    const bool is_alias = value.Mark().pos < key.Mark().pos;  // a node is where its anchor is
    if (!value.IsNull() && !is_alias) {
      return of(value, in_flow);
    }
    std::size_t at = end_of(key, in_flow);
    if (at >= text_.size() || text_[at] != ':') {
      throw YamlEditError("has no ':'");
    }
    const std::size_t value_begin = std::min(text_.find_first_not_of(kBlank, at + 1), text_.size());
    const bool is_empty = value_begin >= text_.size() || text_[value_begin] == '\n' || text_[value_begin] == '\r' ||
                          text_[value_begin] == '#' || (in_flow && is_flow_end(text_[value_begin]));
    return is_empty ? Span{at + 1, at + 1} : Span{value_begin, plain_end(value_begin, in_flow)};
  }
  [[nodiscard]] static bool is_flow(const YAML::Node& node) { return node.Style() == YAML::EmitterStyle::Flow; }

  /// Behind the line break of the line, or where the text ends.
  [[nodiscard]] std::size_t next_line(std::size_t at) const {
    const std::size_t end = text_.find('\n', at);
    return end == std::string::npos ? text_.size() : end + 1;
  }
  [[nodiscard]] std::size_t line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }
  [[nodiscard]] std::size_t line_start(std::size_t at) const {
    const std::size_t before = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
    return before == std::string::npos ? 0 : before + 1;
  }
  [[nodiscard]] bool is_blank(std::size_t begin, std::size_t end) const {
    return text_.find_first_not_of(kBlank, begin) >= end;
  }

  /// The comments that begin within it.
  [[nodiscard]] std::vector<std::string> comments(Span span) const {
    std::vector<std::string> found;
    char quote = 0;
    char before = '\n';
    for (std::size_t at = 0; at < std::min(span.end, text_.size()); ++at) {
      const char c = text_[at];
      const bool apart = before == '\n' || kBlank.find(before) != std::string_view::npos;
      if (quote != 0) {
        quote = c == quote && before != '\\' ? '\0' : quote;
      } else if (c == '#' && apart) {
        const std::size_t end = line_end(at);
        if (at >= span.begin) {
          found.push_back(text_.substr(at, end - at));
        }
        at = end;
        before = '\n';
        continue;
      } else if ((c == '"' || c == '\'') && (apart || is_bracket_or_comma(before))) {
        quote = c;
      }
      before = c;
    }
    return found;
  }

 private:
  static bool is_flow_end(char c) { return c == ',' || c == ']' || c == '}'; }
  static bool is_bracket_or_comma(char c) { return c == ',' || c == '[' || c == '{'; }

  [[nodiscard]] std::size_t end_of(const YAML::Node& node, bool in_flow) const {
    std::size_t at = static_cast<std::size_t>(std::max(0, node.Mark().pos));
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {  // anchors and tags
      at = text_.find_first_not_of(" \t\r\n", text_.find_first_of(" \t\r\n,]}", at));
    }
    if (at >= text_.size()) {
      throw YamlEditError("ends with the text");
    }
    if (text_[at] == '[' || text_[at] == '{') {
      return bracket_end(at);
    }
    if (text_[at] == '"' || text_[at] == '\'') {
      return quote_end(at);
    }
    if (node.IsMap() && node.size() > 0) {
      YAML::Node key;
      YAML::Node value;
      for (const auto& pair : node) {
        key.reset(pair.first);
        value.reset(pair.second);
      }
      return of_value(key, value, in_flow).end;
    }
    if (node.IsSequence() && node.size() > 0) {
      const YAML::Node last = node[node.size() - 1];
      return end_of(last, in_flow);
    }
    if (kNoPlainText.find(text_[at]) != std::string_view::npos) {
      throw YamlEditError(text_[at] == '*' ? "is an alias" : "is a block of text");
    }
    return plain_end(at, in_flow);
  }

  [[nodiscard]] std::size_t plain_end(std::size_t begin, bool in_flow) const {
    std::size_t end = begin;
    for (std::size_t at = begin; at < text_.size() && text_[at] != '\n' && text_[at] != '\r'; ++at) {
      const char next = at + 1 < text_.size() ? text_[at + 1] : '\n';
      const bool is_key_end = text_[at] == ':' && (next == ' ' || next == '\n' || next == '\r' || next == '\t' ||
                                                   (in_flow && is_flow_end(next)));
      const bool is_comment = text_[at] == '#' && at > begin && kBlank.find(text_[at - 1]) != std::string_view::npos;
      if (is_key_end || is_comment || (in_flow && (is_flow_end(text_[at]) || text_[at] == '[' || text_[at] == '{'))) {
        break;
      }
      end = kBlank.find(text_[at]) == std::string_view::npos ? at + 1 : end;
    }
    return end;
  }

  [[nodiscard]] std::size_t quote_end(std::size_t begin) const {
    const char quote = text_[begin];
    for (std::size_t at = begin + 1; at < text_.size(); ++at) {
      if (quote == '"' && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (quote == '\'' && at + 1 < text_.size() && text_[at + 1] == quote) {
          ++at;
        } else {
          return at + 1;
        }
      }
    }
    throw YamlEditError("has a quote that does not end");
  }

  [[nodiscard]] std::size_t bracket_end(std::size_t begin) const {
    int depth = 0;
    for (std::size_t at = begin; at < text_.size(); ++at) {
      const char c = text_[at];
      const char before = at > 0 ? text_[at - 1] : '\n';
      const bool apart = before == '\n' || kBlank.find(before) != std::string_view::npos;
      if (c == '#' && apart) {
        at = line_end(at);
      } else if ((c == '"' || c == '\'') && (apart || is_bracket_or_comma(before) || before == ':')) {
        at = quote_end(at) - 1;
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if ((c == ']' || c == '}') && --depth == 0) {
        return at + 1;
      }
    }
    throw YamlEditError("has a bracket that does not end");
  }

  const std::string& text_;
};

// A key as it may stand anywhere.
std::string key_text(const std::string& key) {
  const bool is_plain = !key.empty() && key.find_first_of(" \t\n,[]{}:#'\"") == std::string::npos &&
                        kNoPlainWord.find(key.front()) == std::string_view::npos;
  return is_plain ? key : in_quotes(key);
}

// The value within the maps and lists that lack: {a: {b: value}}.
std::string nested(const YamlPath& path, std::size_t first, std::string value) {
  for (std::size_t depth = path.size(); depth > first; --depth) {
    const auto* key = std::get_if<std::string>(&path[depth - 1]);
    value = key != nullptr ? fmt::format("{{{}: {}}}", key_text(*key), value) : fmt::format("[{}]", value);
  }
  return value;
}

/// One change of a text, to be written at one offset.
class Edit {
 public:
  Edit(const std::string& text, const YamlPath& path) : text_(text), places_(text), path_(path) {}

  EditedYaml put(const YAML::Node& root, const std::string& value) const {
    YAML::Node parent = root;
    bool in_flow = false;
    for (std::size_t depth = 0; depth < path_.size(); ++depth) {
      in_flow = in_flow || Places::is_flow(parent);
      const YAML::Node child = child_of(parent, path_[depth]);
      const bool is_collection = is_there(child) && (child.IsMap() || child.IsSequence()) && child.size() > 0;
      if (!is_there(child)) {
        return add(parent, in_flow, path_[depth], nested(path_, depth + 1, value));
      }
      if (depth + 1 == path_.size() || !is_collection) {
        return replace(parent, child, in_flow, path_[depth], nested(path_, depth + 1, value));
      }
      parent.reset(child);
    }
    throw YamlEditError("is no path");
  }

  EditedYaml remove(const YAML::Node& root) const {
    YAML::Node parent = root;
    bool in_flow = false;
    for (std::size_t depth = 0; depth + 1 < path_.size(); ++depth) {
      in_flow = in_flow || Places::is_flow(parent);
      parent.reset(child_of(parent, path_[depth]));
      if (!is_there(parent)) {
        throw YamlEditError("is not there");
      }
    }
    in_flow = in_flow || Places::is_flow(parent);
    if (!is_there(child_of(parent, path_.back()))) {
      throw YamlEditError("is not there");
    }
    return take_out(parent, in_flow, path_.back());
  }

 private:
  [[nodiscard]] EditedYaml with(Span span, const std::string& instead) const {
    std::string text = text_;
    text.replace(span.begin, span.end - span.begin, instead);
    return {std::move(text), places_.comments(span)};
  }

  EditedYaml replace(const YAML::Node& parent, const YAML::Node& child, bool in_flow, const YamlStep& step,
                     const std::string& value) const {
    if (!parent.IsMap()) {
      return with(places_.of(child, in_flow), value);
    }
    for (const auto& pair : parent) {
      if (is_key(pair.first, step)) {
        const Span span = places_.of_value(pair.first, pair.second, in_flow);
        const bool needs_space = span.begin == span.end;
        return with(span, needs_space ? " " + value : value);
      }
    }
    throw YamlEditError("is not there");
  }

  EditedYaml add(const YAML::Node& parent, bool in_flow, const YamlStep& step, const std::string& value) const {
    const auto* key = std::get_if<std::string>(&step);
    const std::string entry = key != nullptr ? fmt::format("{}: {}", key_text(*key), value) : value;
    if (!parent.IsDefined() || parent.IsNull()) {  // an empty text: all others are replaced
      return with({text_.size(), text_.size()}, (text_.empty() || text_.back() == '\n' ? "" : "\n") + entry + "\n");
    }
    const Span span = places_.of(parent, in_flow);
    if (Places::is_flow(parent)) {
      if (parent.size() == 0) {
        return with({span.end - 1, span.end - 1}, entry);
      }
      const std::size_t end = last_end(parent, true);
      return with({end, end}, ", " + entry);
    }
    const std::size_t first = key != nullptr ? static_cast<std::size_t>(parent.begin()->first.Mark().column)
                                             : static_cast<std::size_t>(parent.Mark().column);
    const std::size_t end = places_.line_end(last_end(parent, false));
    return with({end, end}, "\n" + std::string(first, ' ') + (key == nullptr ? "- " : "") + entry);
  }

  std::size_t last_end(const YAML::Node& collection, bool in_flow) const {
    std::size_t end = 0;
    for (const Span& each : entries_of(collection, in_flow)) {
      end = each.end;
    }
    return end;
  }

  // Of a map from the key on.
  [[nodiscard]] std::vector<Span> entries_of(const YAML::Node& collection, bool in_flow) const {
    std::vector<Span> entries;
    for (const auto& item : collection) {
      if (collection.IsMap()) {
        entries.push_back({static_cast<std::size_t>(std::max(0, item.first.Mark().pos)),
                           places_.of_value(item.first, item.second, in_flow).end});
      } else {
        entries.push_back(places_.of(item, in_flow));
      }
    }
    return entries;
  }

  EditedYaml take_out(const YAML::Node& parent, bool in_flow, const YamlStep& step) const {
    std::size_t number = 0;
    if (const auto* of_list = std::get_if<std::size_t>(&step)) {
      number = *of_list;
    } else {
      for (const auto& pair : parent) {
        if (is_key(pair.first, step)) {
          break;
        }
        ++number;
      }
    }
    const std::vector<Span> entries = entries_of(parent, in_flow);
    const Span its = entries.at(number);
    if (Places::is_flow(parent)) {
      const bool is_last = number + 1 == entries.size();
      return with(number > 0 ? Span{entries[number - 1].end, its.end}
                  : is_last  ? its
                             : Span{its.begin, entries[1].begin},
                  "");
    }
    if (entries.size() == 1) {
      return with(places_.of(parent, in_flow), parent.IsMap() ? "{}" : "[]");
    }
    std::size_t begin = its.begin;
    if (parent.IsSequence()) {
      begin = text_.rfind('-', its.begin - 1);
    }
    if (places_.is_blank(places_.line_start(begin), begin)) {
      return with({places_.line_start(begin), places_.next_line(its.end)}, "");
    }
    if (number > 0 || parent.IsSequence()) {
      throw YamlEditError("shares its line with others");
    }
    return with({begin, entries[1].begin}, "");  // behind the dash of a list
  }

  const std::string& text_;
  Places places_;
  const YamlPath& path_;
};

// Of a value with line breaks or comments one without, and each value in the form that can stand within brackets.
std::vector<std::string> ways_to_write(const std::string& value, const YAML::Node& node) {
  std::vector<std::string> ways;
  const std::size_t begin = value.find_first_not_of(" \t\r\n");
  const std::size_t end = value.find_last_not_of(" \t\r\n");
  if (begin != std::string::npos && value.find('\n') == std::string::npos && value.find('#') == std::string::npos) {
    ways.push_back(value.substr(begin, end - begin + 1));
  }
  if (node.IsScalar()) {
    ways.push_back(in_quotes(node.Scalar()));
  } else {
    YAML::Emitter out;
    out.SetMapFormat(YAML::Flow);
    out.SetSeqFormat(YAML::Flow);
    out << placeless(node);
    ways.emplace_back(out.c_str());
    std::erase(ways.back(), '\n');  // the emitter folds long lines
  }
  return ways;
}

}  // namespace

std::string path_text(const YamlPath& path) {
  std::string text;
  for (const YamlStep& step : path) {
    if (const auto* number = std::get_if<std::size_t>(&step)) {
      text += fmt::format("[{}]", *number);
    } else {
      text = path_to(text, std::get<std::string>(step));
    }
  }
  return text;
}

EditedYaml edited_yaml(const std::string& text, const YamlChange& change) {
  if (change.path.empty()) {
    throw YamlEditError("a change needs a path");
  }
  const std::string name = path_text(change.path);
  try {
    const YAML::Node value =
        change.value ? load_only_document(*change.value, "value") : YAML::Node(YAML::NodeType::Undefined);
    if (change.value && value.IsNull()) {
      throw YamlEditError("has no value; remove the key instead");
    }
    const YAML::Node root = YAML::Load(text);
    const std::string expected = canonical(changed(load_only_document(text, "text"), change.path, 0, value));
    const Edit edit(text, change.path);
    const std::vector<std::string> ways =
        change.value ? ways_to_write(*change.value, value) : std::vector<std::string>{{}};
    for (const std::string& way : ways) {
      EditedYaml edited = change.value ? edit.put(root, way) : edit.remove(root);
      try {
        if (canonical(load_only_document(edited.text, "text")) == expected) {
          return edited;
        }
      } catch (const std::exception&) {  // then it is another offset
      }
    }
    throw YamlEditError("other values depend on how it is written; change it in the text");
  } catch (const std::exception& error) {
    throw YamlEditError(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Changes of a YAML text as `hilgate edit` makes them: one is refused, or the text has the new value at its place and
// all else as it was. The first line of an input is the path, steps apart by dots with a number for an item of a list;
// the second the new value, where an empty one takes the old one away; the rest is the text.
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/yaml_edit.h"
#include "config/yaml_tree.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

enum class Tags : std::uint8_t { kCount, kLeftOut };

std::string tree_text(const YAML::Node& node, Tags tags) {
  std::string text = tags == Tags::kCount ? "<" + node.Tag() + ">" : "";
  if (node.IsMap()) {
    std::multimap<std::string, std::string> pairs;  // their order means nothing
    for (const auto& pair : node) {
      pairs.emplace(tree_text(pair.first, tags), tree_text(pair.second, tags));
    }
    text += "{";
    for (const auto& [key, value] : pairs) {
      text += std::to_string(key.size()) + key + std::to_string(value.size()) + value;
    }
    return text + "}";
  }
  if (node.IsSequence()) {
    text += "[";
    for (const auto& item : node) {
      const std::string its = tree_text(item, tags);
      text += std::to_string(its.size()) + its;
    }
    return text + "]";
  }
  return text + (node.IsScalar() ? "=" + node.Scalar() : "~");
}

/// The children of a node: those at a step, and the text of all others, the items of a list in their order.
struct Children {
  std::vector<YAML::Node> at_step;
  std::multimap<std::string, std::string> others;
};

Children children_of(const YAML::Node& node, const std::optional<YamlStep>& step) {
  Children children;
  std::size_t others = 0;
  std::size_t number = 0;
  for (const auto& item : node) {
    const bool is_item = node.IsSequence();
    const YAML::Node value = is_item ? static_cast<const YAML::Node&>(item) : item.second;
    const bool is_it =
        is_item ? step == YamlStep(number) : item.first.IsScalar() && step == YamlStep(item.first.Scalar());
    ++number;
    if (is_it) {
      children.at_step.push_back(value);
    } else {
      children.others.emplace(is_item ? std::to_string(others++) : tree_text(item.first, Tags::kCount),
                              tree_text(value, Tags::kCount));
    }
  }
  return children;
}

void require_changed(const YAML::Node& before, const YAML::Node& after, const YamlPath& path, std::size_t depth,
                     const YAML::Node& value) {
  if (depth == path.size()) {
    return require(tree_text(after, Tags::kLeftOut) == tree_text(value, Tags::kLeftOut), "the new value is there");
  }
  const bool is_removal = !value.IsDefined();
  const bool was_there = before.IsDefined() && !before.IsNull();
  const Children old = was_there ? children_of(before, path[depth]) : Children{};
  const bool takes_item = is_removal && depth + 1 == path.size() && after.IsSequence();  // the next is at its place
  const Children now = children_of(after, takes_item ? std::nullopt : std::optional(path[depth]));
  require(was_there || !is_removal, "what is taken away was there");
  require(!was_there || (before.IsMap() == after.IsMap() && before.IsSequence() == after.IsSequence()),
          "maps and lists on the way stay such");
  require(old.others == now.others, "all else is as it was");
  if (is_removal && depth + 1 == path.size()) {
    return require(now.at_step.empty() && !old.at_step.empty(), "what is taken away was there and is not any more");
  }
  require(now.at_step.size() == 1 && old.at_step.size() <= 1, "there is one value at each step");
  require_changed(old.at_step.empty() ? YAML::Node(YAML::NodeType::Undefined) : old.at_step[0], now.at_step[0], path,
                  depth + 1, value);
}

/// Lines of nothing but a comment. In quotes and blocks of text a line may look the same.
std::size_t comment_lines(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t first = text.find_first_not_of(" \t");
    count += first < end && text[first] == '#' ? 1 : 0;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return count;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

YamlPath path_of(std::string_view line) {
  YamlPath path;
  while (path.size() < 8) {
    const std::string_view word = line.substr(0, line.find('.'));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc{} && end == word.data() + word.size()) {
      path.emplace_back(number);
    } else {
      path.emplace_back(std::string(word));
    }
    if (word.size() == line.size()) {
      break;
    }
    line.remove_prefix(word.size() + 1);
  }
  return path;
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  YamlChange change{.path = path_of(take_line(rest)), .value = std::nullopt};
  if (const std::string_view value = take_line(rest); !value.empty()) {
    change.value = std::string(value);
  }
  const std::string text(rest);
  EditedYaml edited;
  try {
    edited = edited_yaml(text, change);
  } catch (const YamlEditError& refused) {
    const std::string name = path_text(change.path);
    require(std::string_view(refused.what()).starts_with(name.c_str()), "a refusal names the path");
    return 0;
  }
  const YAML::Node value = change.value ? load_only_document(*change.value, "") : YAML::Node(YAML::NodeType::Undefined);
  require_changed(load_only_document(text, ""), load_only_document(edited.text, ""), change.path, 0, value);
  if (text.find_first_of("|>\"'") == std::string::npos) {
    require(comment_lines(edited.text) + edited.lost_comments.size() >= comment_lines(text), "lost comments are named");
  }
  return 0;
}

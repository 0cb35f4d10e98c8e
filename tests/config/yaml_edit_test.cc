// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hilgate::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    "# A yard; über\n"
    "name: yard   # of the run\n"
    "robots:\n"
    "  # the first\n"
    "  red: {port: red, ip: [10.0.0.1, 10.0.0.2], radio: wifi}   # red one\n"
    "  blue:\n"
    "    port: \"blue # not a comment\"   # its port\n"
    "    ip: '10.0.0.3'\n"
    "physics:\n"
    "  obstacles:\n"
    "    - {name: house, box: {min: [62m, 14m, 0m], max: [82m, 32m, 9m]}}  # a house\n"
    "    - name: shed\n"
    "      wall: 30cm\n"
    "\n"
    "# the end\n"
    "lab:\n";

std::string put(const std::string& text, YamlPath path, std::string value) {
  return edited_yaml(text, {std::move(path), std::move(value)}).text;
}

std::string removed(const std::string& text, YamlPath path) {
  return edited_yaml(text, {std::move(path), {}}).text;
}

// `text` with `old`, which is in it once, replaced.
std::string with(std::string text, const std::string& old, const std::string& now) {
  EXPECT_NE(text.find(old), std::string::npos) << old;
  return text.replace(text.find(old), old.size(), now);
}

std::string fault(const std::string& text, YamlPath path, std::optional<std::string> value) {
  try {
    return edited_yaml(text, {std::move(path), std::move(value)}).text;
  } catch (const YamlEditError& error) {
    return error.what();
  }
}

TEST(YamlEdit, ReplacesAValueAndNothingElse) {
  EXPECT_EQ(put(kText, {"name"}, "field"), with(kText, "name: yard ", "name: field "));
  EXPECT_EQ(put(kText, {"robots", "red", "radio"}, "sik"), with(kText, "radio: wifi", "radio: sik"));
  EXPECT_EQ(put(kText, {"robots", "red", "ip", 1U}, "::1"), with(kText, "10.0.0.2", "::1"));
  EXPECT_EQ(put(kText, {"robots", "blue", "port"}, "hall"), with(kText, "\"blue # not a comment\"", "hall"));
  EXPECT_EQ(put(kText, {"robots", "blue", "ip"}, "[10.0.0.4]"), with(kText, "'10.0.0.3'", "[10.0.0.4]"));
  EXPECT_EQ(put(kText, {"physics", "obstacles", 0U, "box", "min"}, "[1m, 2m, 3m]"),
            with(kText, "[62m, 14m, 0m]", "[1m, 2m, 3m]"));
  EXPECT_EQ(put(kText, {"physics", "obstacles", 1U, "wall"}, "1m"), with(kText, "30cm", "1m"));
}

TEST(YamlEdit, AddsKeysAndItemsWhereTheirMapsAndListsEnd) {
  EXPECT_EQ(put(kText, {"robots", "red", "wired"}, "true"), with(kText, "radio: wifi}", "radio: wifi, wired: true}"));
  EXPECT_EQ(put(kText, {"robots", "blue", "radio"}, "sik"),
            with(kText, "'10.0.0.3'\n", "'10.0.0.3'\n    radio: sik\n"));
  EXPECT_EQ(put(kText, {"robots", "green"}, "{port: green}"),
            with(kText, "'10.0.0.3'\n", "'10.0.0.3'\n  green: {port: green}\n"));
  EXPECT_EQ(put(kText, {"physics", "obstacles", 2U}, "{name: wall}"),
            with(kText, "wall: 30cm\n", "wall: 30cm\n    - {name: wall}\n"));
  EXPECT_EQ(put(kText, {"robots", "red", "ip", 2U}, "::1"), with(kText, "10.0.0.2]", "10.0.0.2, ::1]"));
  EXPECT_EQ(put(kText, {"lab", "mtu"}, "1400 B"), with(kText, "lab:\n", "lab: {mtu: 1400 B}\n"));
  EXPECT_EQ(put(kText, {"clock", "servo", "gain"}, "0.5"), std::string(kText) + "clock: {servo: {gain: 0.5}}\n");
  EXPECT_EQ(put("", {"name"}, "x"), "name: x\n");
  EXPECT_EQ(put("a: {}\n", {"a", "b"}, "c"), "a: {b: c}\n");
  EXPECT_EQ(put("a: []\n", {"a", 0U}, "c"), "a: [c]\n");
}

TEST(YamlEdit, WritesValuesAsTheirPlaceNeedsThem) {
  EXPECT_EQ(put("a: {b: 1}\n", {"a", "b"}, "x, y"), "a: {b: \"x, y\"}\n");
  EXPECT_EQ(put("a: 1\n", {"a"}, "- 1\n- {b: 2}\n"), "a: [1, {b: 2}]\n");
  EXPECT_EQ(put("a: {b: 1}\n", {"a", "c d"}, "2"), "a: {b: 1, \"c d\": 2}\n");
  EXPECT_EQ(put("a: 1\n", {"a"}, "\"true\""), "a: \"true\"\n");
}

TEST(YamlEdit, RemovesWithTheLine) {
  EXPECT_EQ(removed(kText, {"robots", "red", "ip"}), with(kText, ", ip: [10.0.0.1, 10.0.0.2]", ""));
  EXPECT_EQ(removed(kText, {"robots", "red", "port"}), with(kText, "port: red, ", ""));
  EXPECT_EQ(removed(kText, {"robots", "blue", "ip"}), with(kText, "    ip: '10.0.0.3'\n", ""));
  EXPECT_EQ(removed(kText, {"physics", "obstacles", 1U}), with(kText, "    - name: shed\n      wall: 30cm\n", ""));
  EXPECT_EQ(removed(kText, {"physics", "obstacles", 1U, "name"}), with(kText, "name: shed\n      ", ""));
  EXPECT_EQ(removed("a: {b: 1}\n", {"a", "b"}), "a: {}\n");
  EXPECT_EQ(removed("a:\n  b: 1\n", {"a", "b"}), "a:\n  {}\n");
}

TEST(YamlEdit, NamesTheCommentsThatGo) {
  const EditedYaml robot = edited_yaml(kText, {{"robots", "blue"}, {}});
  EXPECT_EQ(robot.lost_comments, std::vector<std::string>{"# its port"});
  EXPECT_EQ(edited_yaml(kText, {{"robots", "red"}, {}}).lost_comments, std::vector<std::string>{"# red one"});
  EXPECT_TRUE(edited_yaml(kText, {{"name"}, "field"}).lost_comments.empty());
}

TEST(YamlEdit, RefusesWhatWouldChangeMore) {
  const std::string shared = "x-a: &a {radio: wifi}\nred: *a\nblue: {<<: *a}\n";
  EXPECT_EQ(put(shared, {"red"}, "{radio: sik}"), with(shared, "red: *a", "red: {radio: sik}"));
  EXPECT_THAT(fault(shared, {"red", "radio"}, "sik"), HasSubstr("red.radio: other values depend on"));
  EXPECT_THAT(fault(shared, {"x-a", "radio"}, "sik"), HasSubstr("other values depend on"));
  EXPECT_EQ(put(shared, {"blue", "radio"}, "sik"), with(shared, "{<<: *a}", "{<<: *a, radio: sik}"));
  EXPECT_THAT(fault(kText, {"robots", "green"}, {}), HasSubstr("robots.green: is not there"));
  EXPECT_THAT(fault(kText, {"robots", 0U}, "x"), HasSubstr("robots[0]: is in a map, which has no numbers"));
  EXPECT_THAT(fault(kText, {"physics", "obstacles", 3U}, "x"), HasSubstr("is beyond the end of the list"));
  EXPECT_THAT(fault(kText, {"name", "first"}, "x"), HasSubstr("name.first: is within a value that is no map"));
  EXPECT_THAT(fault(kText, {"name"}, "[1"), HasSubstr("name: "));
  EXPECT_THAT(fault(kText, {"name"}, ""), HasSubstr("has no value"));
  EXPECT_THAT(fault("a: [", {"a"}, "1"), HasSubstr("a: "));
  EXPECT_THAT(fault("a: |\n  text\n", {"a"}, "1"), HasSubstr("a block of text"));
}

TEST(YamlEdit, RefusesAKeyThatIsThereTwice) {
  const std::string twice = "a: {b: [1, 2]}\na: {c: 3}\n";
  EXPECT_THAT(fault(twice, {"a", "b", 0U}, {}), HasSubstr("a.b[0]: is in a map that has one of its keys twice"));
  EXPECT_THAT(fault(twice, {"a"}, "1"), HasSubstr("twice"));
}

// The emitter writes other bytes in their place.
TEST(YamlEdit, RefusesWhatIsNoUtf8) {
  EXPECT_THAT(fault("b: 1\n", {"a \xff"}, "1"), HasSubstr("other values depend on"));
}

void paths_of(const YAML::Node& node, const YamlPath& path, std::vector<YamlPath>& found) {
  std::size_t number = 0;
  for (const auto& item : node) {
    YamlPath its = path;
    its.push_back(node.IsMap() ? YamlStep(item.first.Scalar()) : YamlStep(number++));
    paths_of(node.IsMap() ? item.second : static_cast<const YAML::Node&>(item), its, found);
    found.push_back(std::move(its));
  }
}

TEST(YamlEdit, EachPlaceOfTheExamplesCanBeChanged) {
  for (const char* name : {"handover/handover.yaml", "serial/lines.yaml", "places/yard.yaml"}) {
    std::ifstream in(std::string(HILGATE_SOURCE_DIR "/examples/") + name);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::vector<YamlPath> paths;
    paths_of(YAML::Load(text), {}, paths);
    EXPECT_GT(paths.size(), 10) << name;
    for (const YamlPath& path : paths) {
      const std::string edited = put(text, path, "5 dB");
      EXPECT_NE(edited, text) << name << ": " << path_text(path);
      EXPECT_NE(removed(text, path), text) << name << ": " << path_text(path);
    }
  }
}

}  // namespace
}  // namespace hilgate::test

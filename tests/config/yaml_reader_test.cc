// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace hilgate::test {
namespace {

using testing::ElementsAre;

/// The lines of the ConfigError that reading `text` with `read` ends in; empty when it is clean.
std::vector<std::string> faults_of(const std::string& text, const std::function<void(YamlReader&)>& read) {
  std::vector<std::string> lines;
  try {
    YamlDocument document = YamlDocument::parse(text, "f.yaml");
    YamlReader root = document.root();
    read(root);
    document.finish();
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      lines.push_back(fault.line_text());
    }
  }
  return lines;
}

TEST(YamlReader, ReadsValuesMapsAndLists) {
  YamlDocument document = YamlDocument::parse(
      "window: 1ms\nports:\n  b: {interface: hg-b}\n  a: {interface: hg-a}\nip: [10.0.0.1, 'fd77::1']\nmtu: 1500 B\n",
      "f.yaml");
  YamlReader root = document.root();
  EXPECT_EQ(root.required<Nanoseconds>("window"), Nanoseconds{1'000'000});
  EXPECT_EQ(root.optional<std::uint64_t>("seed", 7), 7u);
  EXPECT_FALSE(root.optional<double>("speed"));
  std::vector<std::string> order;
  for (auto& [name, port] : root.entries("ports")) {
    order.push_back(name + "=" + port.required<std::string>("interface"));
    EXPECT_EQ(port.path(), "ports." + name);
  }
  EXPECT_THAT(order, ElementsAre("b=hg-b", "a=hg-a"));
  EXPECT_THAT(root.list<std::string>("ip"), ElementsAre("10.0.0.1", "fd77::1"));
  EXPECT_EQ(root.list<Bytes>("mtu").at(0).value, 1500u);
  EXPECT_NO_THROW(document.finish());
}

TEST(YamlReader, UnknownKeyNamesTheNearestKnownOneWithItsLine) {
  EXPECT_THAT(faults_of("name: x\nwidnow: 1ms\n",
                        [](YamlReader& root) {
                          root.required<std::string>("name");
                          root.optional<Nanoseconds>("window");
                        }),
              ElementsAre("f.yaml:2: widnow: unknown key 'widnow'; did you mean 'window'?"));
  EXPECT_THAT(faults_of("a:\n  b: 1\n  zzzzzz: 2\n",
                        [](YamlReader& root) {
                          YamlReader a = root.child("a");
                          a.required<int>("b");
                        }),
              ElementsAre("f.yaml:3: a.zzzzzz: unknown key 'zzzzzz'; allowed: b"));
}

TEST(YamlReader, CollectsAllFaultsInTheOrderOfLines) {
  EXPECT_THAT(
      faults_of("extra: 1\nwindow: 12\ndup: 1\ndup: 2\nlinks:\n  - {delay: 1 m}\n",
                [](YamlReader& root) {
                  for (YamlReader& link : root.items("links")) {
                    link.required<Nanoseconds>("delay");
                  }
                  root.required<Nanoseconds>("window");
                  root.required<std::string>("name");
                  root.optional<int>("dup");
                }),
      ElementsAre(
          "f.yaml:1: misses the key 'name'",
          "f.yaml:1: extra: unknown key 'extra'; allowed: links, "
          "window, name, dup",
          "f.yaml:2: window: '12' has no unit; a time needs one of ns, us, ms, s, min, h; example: 1ms",
          "f.yaml:4: dup: is given twice; first in line 3",
          "f.yaml:6: links[0].delay: '1 m' has the unit 'm', which is not a unit of a time; allowed: ns, us, ms, "
          "s, min, h"));
}

TEST(YamlReader, WrongShapesAreNamedOnce) {
  EXPECT_THAT(faults_of("ports: [1]\nrobots: 3\nname: {a: 1}\n",
                        [](YamlReader& root) {
                          static_cast<void>(root.entries("ports"));
                          static_cast<void>(root.items("robots"));
                          root.required<std::string>("name");
                          YamlReader physics = root.child("physics");
                          physics.required<std::string>("type");
                          physics.child("tracks").required<int>("n");
                        }),
              ElementsAre("f.yaml:1: ports: is a list; a map of 'key: value' pairs is expected",
                          "f.yaml:1: misses the key 'physics'", "f.yaml:2: robots: is '3'; a list is expected",
                          "f.yaml:3: name: is a map; a single value is expected"));
}

TEST(YamlReader, ASecondDocumentIsRefused) {
  try {
    YamlDocument::parse("name: y\n---\nlinks: []\n", "y.yaml");
    FAIL() << "read without its second document";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("y.yaml:3: begins a second YAML document"));
  }
  EXPECT_NO_THROW(YamlDocument::parse("---\nname: y\n...\n", "y.yaml")) << "markers around one document";
  EXPECT_NO_THROW(YamlDocument::parse("name: y\n---\n", "y.yaml")) << "nothing is after it";
}

TEST(YamlReader, EmptyValuesAreNamedAndNothingElseIsSaidOfThem) {
  EXPECT_THAT(faults_of("seed:\nname: ~\nports: {p: }\nlinks:\n",
                        [](YamlReader& root) {
                          root.optional<int>("seed");
                          root.required<std::string>("name");
                          for (auto& [name, port] : root.entries("ports")) {
                            port.required<std::string>("interface");
                          }
                          static_cast<void>(root.items("links"));
                          EXPECT_FALSE(root.has("links"));
                        }),
              ElementsAre("f.yaml:1: seed: is empty; give it a value, or remove the key",
                          "f.yaml:2: name: is empty; give it a value, or remove the key",
                          "f.yaml:3: ports.p: is empty; give it a value, or remove the key",
                          "f.yaml:4: links: is empty; give it a value, or remove the key"));
}

TEST(YamlReader, AMissingKeyIsNamedOnce) {
  EXPECT_THAT(faults_of("a: 1\n",
                        [](YamlReader& root) {
                          root.required<int>("a");
                          static_cast<void>(root.child("robots"));
                          static_cast<void>(root.child("robots"));
                        }),
              ElementsAre("f.yaml:1: misses the key 'robots'"));
}

TEST(YamlReader, ATabInTheIndentIsWhatIsWrong) {
  const auto nothing = [](YamlReader&) {};
  EXPECT_THAT(faults_of("a: 1\nb:\n\tc: 1\n", nothing),
              ElementsAre("f.yaml:3: is indented with a tab; YAML is indented with blanks alone"));
  EXPECT_THAT(faults_of("a: [1\n\n", nothing).at(0), testing::HasSubstr("is not valid YAML"));
}

TEST(YamlReader, ChoiceSaysWhatIsAllowed) {
  enum class Pace { kWall, kDilate };
  const std::vector<std::pair<std::string, Pace>> names{{"wall", Pace::kWall}, {"dilate", Pace::kDilate}};
  EXPECT_THAT(faults_of("pace: dilaet\n", [&](YamlReader& root) { root.choice("pace", names); }),
              ElementsAre("f.yaml:1: pace: 'dilaet' is not a known value; did you mean 'dilate'?"));
  EXPECT_THAT(faults_of("pace: 7777777\n", [&](YamlReader& root) { root.choice("pace", names); }),
              ElementsAre("f.yaml:1: pace: '7777777' is not a known value; allowed: wall, dilate"));
  YamlDocument document = YamlDocument::parse("a: 1\n", "f.yaml");
  EXPECT_EQ(document.root().choice("pace", names, {Pace::kDilate}), Pace::kDilate);
}

TEST(YamlReader, OwnFaultsCarryTheLineOfTheKey) {
  EXPECT_THAT(faults_of("a: 1\nb:\n  c: 0s\n",
                        [](YamlReader& root) {
                          root.required<int>("a");
                          YamlReader b = root.child("b");
                          b.required<Nanoseconds>("c");
                          b.fault("c", "must be longer than 0s");
                        }),
              ElementsAre("f.yaml:3: b.c: must be longer than 0s"));
}

TEST(YamlReader, LooksForPathsWithoutMakingKeysKnown) {
  EXPECT_THAT(faults_of("a: {b: {c: 1}}\n",
                        [](YamlReader& root) {
                          EXPECT_TRUE(root.contains("a.b.c"));
                          EXPECT_TRUE(root.contains("a.b"));
                          EXPECT_FALSE(root.contains("a.c"));
                          EXPECT_FALSE(root.contains("a.b.c.d"));
                          root.optional<int>("x");
                        }),
              ElementsAre("f.yaml:1: a: unknown key 'a'; allowed: x"));
}

TEST(YamlReader, DeepNestingIsRefusedBeforeItIsParsed) {
  const auto nested = [](std::size_t depth) {
    return faults_of("x: 1\na: " + std::string(depth, '[') + std::string(depth, ']'), [](YamlReader& root) {
      root.required<int>("x");
      EXPECT_FALSE(root.contains("a.b"));
    });
  };
  EXPECT_THAT(nested(100).at(0), testing::HasSubstr("unknown key 'a'"));
  EXPECT_THAT(nested(101), ElementsAre("f.yaml:2: is nested deeper than 100 brackets"));
  EXPECT_THAT(nested(1 << 20), ElementsAre("f.yaml:2: is nested deeper than 100 brackets"));
  const std::string many(200, '{');
  EXPECT_THAT(faults_of("x: 1  # " + many + "\n# [" + many + "\ny: '" + many + "'\nz: \"\\\"" + many + "\"\n",
                        [](YamlReader& root) {
                          root.required<int>("x");
                          root.required<std::string>("y");
                          root.required<std::string>("z");
                        }),
              ElementsAre());
}

TEST(YamlReader, NothingButAFileIsRead) {
  for (const char* path : {"/dev/zero", "/tmp"}) {
    EXPECT_THROW(YamlDocument::load(path), ConfigError) << path;
  }
}

TEST(YamlReader, EmptyAndBrokenFiles) {
  EXPECT_THAT(faults_of("", [](YamlReader& root) { root.required<int>("a"); }),
              ElementsAre("f.yaml:1: is empty; a map of 'key: value' pairs is expected"));
  EXPECT_THAT(faults_of("a: [1, 2\nb: 3\n", [](YamlReader&) {}), testing::SizeIs(1));
  EXPECT_THAT(faults_of("a: [1, 2\nb: 3\n", [](YamlReader&) {}).at(0),
              testing::StartsWith("f.yaml:2: is not valid YAML: "));
  try {
    YamlDocument::load("/nonexistent/x.yaml");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/x.yaml: cannot be read: No such file or directory");
  }
}

}  // namespace
}  // namespace hilgate::test

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

TEST(YamlReader, ExtensionsOfTheTopLevelAreIgnored) {
  const auto read = [](YamlReader& root) {
    EXPECT_EQ(root.required<std::string>("name"), "y");
    for (auto& [name, port] : root.entries("ports")) {
      port.required<std::string>("interface");
    }
  };
  EXPECT_THAT(faults_of("x-note: written by a tool\nx-empty:\nx-note: again\nname: y\n"
                        "x-port: &port {interface: hg}\nports: {p: *port}\n",
                        read),
              ElementsAre());
  EXPECT_THAT(faults_of("name: y\nports: {p: {interface: hg, x-note: 1}}\n", read),
              ElementsAre("f.yaml:2: ports.p.x-note: unknown key 'x-note'; allowed: interface"))
      << "at the top level alone";
  YamlDocument names = YamlDocument::parse("x-note: 1\na: 2\n", "f.yaml");
  EXPECT_EQ(names.root().entries().size(), 1U) << "a file of names";
}

// YAML 1.1, type merge: a key of the map itself wins, then one of a map further in front.
TEST(YamlReader, MergeKeysAreTheKeysThatTheyMerge) {
  const std::string text =
      "x-defaults: &defaults {mtu: 1500 B, driver: tap}\n"
      "x-fast: &fast\n  <<: *defaults\n  driver: dpdk\n  queues: 4\n"
      "ports:\n  a:\n    interface: hg-a\n    <<: *defaults\n  b: {<<: [*fast, *defaults], mtu: 9000 B}\n"
      "  c: {<<: {driver: pty}, '<<': 1}\n";
  YamlDocument document = YamlDocument::parse(text, "f.yaml");
  YamlReader ports = document.root().child("ports");
  const auto shown = [&ports](const std::string& port) { return ports.child(port).flow_text(); };
  EXPECT_EQ(shown("a"), "{interface: hg-a, mtu: 1500 B, driver: tap}");
  EXPECT_EQ(shown("b"), "{mtu: 9000 B, driver: dpdk, queues: 4}");
  EXPECT_EQ(shown("c"), "{<<: 1, driver: pty}") << "in quotes it is a key";
  EXPECT_THAT(faults_of(text,
                        [](YamlReader& root) {
                          YamlReader port = root.child("ports").child("a");
                          port.required<std::string>("interface");
                          port.required<std::string>("driver");
                        }),
              testing::Contains("f.yaml:1: ports.a.mtu: unknown key 'mtu'; allowed: interface, driver"))
      << "with the line where it is written";
}

TEST(YamlReader, MergeKeysOfOtherValuesAndEndlessAliasesAreRefused) {
  const auto fault = [](const std::string& text) {
    try {
      YamlDocument::parse(text, "f.yaml");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault("a: 1\nb: {<<: 7}\n"), "f.yaml:2: '<<' merges maps alone, as `<<: *defaults`, or a list of them");
  EXPECT_EQ(fault("b:\n  <<: [{c: 1}, d]\n"), fault("\nb: {<<: }\n"));
  EXPECT_THAT(fault("a: &a\n  b: *a\n"), testing::HasSubstr("as an alias within what it names is"));
  EXPECT_THAT(fault("a: &a {<<: *a}\n"), testing::HasSubstr("as an alias within what it names is"));
  std::string laughs = "a0: &a0 [1, 1]\n";
  for (int i = 1; i < 40; ++i) {
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
              std::to_string(i - 1) + "]\n";
  }
  EXPECT_THAT(fault(laughs), testing::HasSubstr("has more than 200000 values, with what its aliases name"));
}

TEST(YamlReader, AnUnknownKeyOfAnotherChoiceBelongsToIt) {
  const auto read = [](YamlDocument& document) {
    YamlReader root = document.root();
    for (auto& [name, port] : root.entries("ports")) {
      const int driver = port.choice<int>("driver", {{"tap", 0}, {"dpdk", 1}, {"vdev", 2}}, 0);
      if (driver == 0) {
        port.optional<std::string>("user");
      } else {
        port.optional<int>("queues");
      }
    }
  };
  const auto faults = [&read](const std::string& text) {
    YamlDocument document = YamlDocument::parse(text, "f.yaml");
    read(document);
    try {
      document.finish(read);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(faults("ports:\n  p: {driver: tap, queues: 4}\n"),
            "f.yaml:2: ports.p.queues: belongs to driver dpdk or vdev; driver is 'tap' here");
  EXPECT_EQ(faults("ports:\n  p: {queues: 4}\n"),
            "f.yaml:2: ports.p.queues: belongs to driver dpdk or vdev; driver is not given");
  EXPECT_EQ(faults("ports:\n  p: {driver: dpdk, user: 4, usr: 5}\n"),
            "f.yaml:2: ports.p.user: belongs to driver tap; driver is 'dpdk' here\n"
            "f.yaml:2: ports.p.usr: unknown key 'usr'; allowed: driver, queues");
  EXPECT_EQ(faults("ports:\n  p: {driver: dpdk, queues: 4}\n"), "");
}

TEST(YamlReader, ASecondDocumentIsRefused) {
  try {
    YamlDocument::parse("name: y\n---\nlinks: []\n", "y.yaml");
    FAIL() << "read without its second document";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("y.yaml:3: begins a second YAML document"));
  }
  EXPECT_THROW(YamlDocument::parse("name: y\n---\n---\nlinks: []\n", "y.yaml"), ConfigError) << "after an empty one";
  EXPECT_THROW(YamlDocument::parse("---\n---\nname: y\n", "y.yaml"), ConfigError) << "the first one is empty";
  EXPECT_NO_THROW(YamlDocument::parse("---\nname: y\n...\n", "y.yaml")) << "markers around one document";
  EXPECT_NO_THROW(YamlDocument::parse("name: y\n---\n", "y.yaml")) << "nothing is after it";
}

TEST(YamlReader, ACommaOutsideOfBracketsEnds) {
  for (const std::string text : {",", ",5ms", "---\n,\n", "name: y\n...\n, x\n"}) {
    try {
      YamlDocument::parse(text, "y.yaml");
      FAIL() << text;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(": is not valid YAML: a ',' separates nothing here")) << text;
    }
  }
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

TEST(YamlReader, TabInTheIndentIsNamed) {
  const auto nothing = [](YamlReader&) {};
  EXPECT_THAT(faults_of("a: 1\nb:\n\tc: 1\n", nothing),
              ElementsAre("f.yaml:3: is indented with a tab; YAML is indented with blanks alone"));
  EXPECT_THAT(faults_of("a: [1\n\n", nothing).at(0), testing::HasSubstr("is not valid YAML"));
}

TEST(YamlReader, ChoiceNamesItsValues) {
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

TEST(YamlReader, FindsPathsWithoutRegisteringKeys) {
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

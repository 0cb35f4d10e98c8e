// SPDX-License-Identifier: Apache-2.0
// What becomes of keys that a file has from an earlier version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "config/yaml_reader.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<OldKey, 4> kTable = {{{"period", "window"},
                                           {"ports.*.nic", "interface"},
                                           {"links.*.wait", "delay"},
                                           {"robots.*.colour", "", "the dashboard has it"}}};

TEST(OldKeys, AreReadUnderTheirNewNamesWithTheirPlace) {
  YamlDocument document = YamlDocument::parse(
      "period: 1ms\n"
      "ports:\n"
      "  a: {nic: hg-a}\n"
      "  b: {interface: hg-b}\n"
      "links:\n"
      "  - {delay: 1ms}\n"
      "  - {wait: 2ms}\n",
      "f.yaml");
  EXPECT_THAT(document.replace_old_keys(kTable),
              ElementsAre("f.yaml:1: period: is called 'window' now; the old name still counts, rename it",
                          "f.yaml:3: ports.a.nic: is called 'interface' now; the old name still counts, rename it",
                          "f.yaml:7: links[1].wait: is called 'delay' now; the old name still counts, rename it"));
  YamlReader root = document.root();
  EXPECT_EQ(root.required<Nanoseconds>("window"), Nanoseconds{1'000'000});
  for (auto& [name, port] : root.entries("ports")) {
    EXPECT_EQ(port.required<std::string>("interface"), "hg-" + name);
  }
  for (YamlReader& link : root.items("links")) {
    EXPECT_GE(link.required<Nanoseconds>("delay"), Nanoseconds{1'000'000});
  }
  document.finish();
}

TEST(OldKeys, WithoutEffectAreLeftOut) {
  YamlDocument document = YamlDocument::parse("robots:\n  red:\n    colour: red\n    name: r\n", "f.yaml");
  EXPECT_THAT(document.replace_old_keys(kTable),
              ElementsAre("f.yaml:3: robots.red.colour: has no effect any more: the dashboard has it; remove it"));
  YamlReader root = document.root();
  EXPECT_EQ(root.child("robots").child("red").required<std::string>("name"), "r");
  document.finish();
}

TEST(OldKeys, FaultsNameTheirLine) {
  YamlDocument document = YamlDocument::parse("x: 1\nperiod: soon\n", "f.yaml");
  EXPECT_EQ(document.replace_old_keys(kTable).size(), 1U);
  YamlReader root = document.root();
  root.required<std::uint64_t>("x");
  root.required<Nanoseconds>("window");
  try {
    document.finish();
    ADD_FAILURE() << "'soon' is no time";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.faults().at(0).line, 2);
    EXPECT_EQ(error.faults().at(0).path, "window");
  }
}

TEST(OldKeys, TogetherWithTheirNewNamesAreFaults) {
  YamlDocument document = YamlDocument::parse("period: 1ms\nwindow: 2ms\n", "f.yaml");
  EXPECT_THAT(document.replace_old_keys(kTable), IsEmpty());
  YamlReader root = document.root();
  EXPECT_EQ(root.required<Nanoseconds>("window"), Nanoseconds{2'000'000});
  try {
    document.finish();
    ADD_FAILURE() << "both are there";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.faults().at(0).line_text(),
              "f.yaml:1: period: is called 'window' now, which is given as well; remove one");
  }
}

TEST(OldKeys, ThatAreElsewhereAreOthers) {
  YamlDocument document = YamlDocument::parse("nic: x\nlist: [1, {period: 2}]\n", "f.yaml");
  EXPECT_THAT(document.replace_old_keys(kTable), IsEmpty());
}

}  // namespace
}  // namespace hilgate::test

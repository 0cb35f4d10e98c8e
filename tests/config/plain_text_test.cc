// SPDX-License-Identifier: Apache-2.0
#include "config/plain_text.h"

#include <gmock/gmock.h>

#include "config/quantity.h"
#include "config/yaml_reader.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Shown, LeavesShortTextAsItIs) {
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("5 ms"), "5 ms");
  EXPECT_EQ(shown(std::string(64, 'x')), std::string(64, 'x'));
}

TEST(Shown, OfLongTextGivesTheBeginningAndTheLength) {
  EXPECT_EQ(shown(std::string(65, 'x')), std::string(64, 'x') + "... (65 bytes)");
  EXPECT_EQ(shown(std::string(9, 'x'), 8), "xxxxxxxx... (9 bytes)");
}

TEST(Shown, CutsBetweenCharacters) {
  const std::string two = "\u00e4";
  const std::string three = "\u20ac";
  const std::string four = "\U0001f916";
  EXPECT_EQ(shown("xxx" + two + "x", 4), "xxx... (6 bytes)");
  EXPECT_EQ(shown("xxx" + two + "x", 5), "xxx" + two + "... (6 bytes)");
  EXPECT_EQ(shown("xx" + three, 4), "xx... (5 bytes)");
  EXPECT_EQ(shown("x" + four, 4), "x... (5 bytes)");
  EXPECT_EQ(shown(std::string(9, '\x80'), 8), std::string(5, '\x80') + "... (9 bytes)") << "no UTF-8";
}

TEST(Shown, IsOneLine) {
  EXPECT_EQ(shown("a\nb\tc"), "a?b?c");
}

std::string faults_of_reading(const std::string& text) {
  YamlDocument document = YamlDocument::parse(text, "f.yaml");
  try {
    YamlReader root = document.root();
    static_cast<void>(root.optional<Nanoseconds>("window"));
    static_cast<void>(root.choice<int>("kind", {{"a", 1}, {"b", 2}}, 1));
    document.finish();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

// A message must not print a whole file.
TEST(Shown, FaultsQuoteTheBeginningOfLongValues) {
  constexpr std::size_t kMostOfMessage = 512;
  const std::string text(1'000'000, 'x');
  const auto is_short = [](const std::string& faults) { return faults.size() < kMostOfMessage; };
  EXPECT_THAT(faults_of_reading(text), AllOf(HasSubstr("f.yaml:1: is 'xxx"),
                                             HasSubstr("xxx... (1000000 bytes)'; a map"), testing::Truly(is_short)));
  EXPECT_THAT(faults_of_reading("window: " + text), AllOf(HasSubstr("... (1000000 bytes)"), testing::Truly(is_short)));
  EXPECT_THAT(faults_of_reading("kind: " + text), AllOf(HasSubstr("... (1000000 bytes)"), testing::Truly(is_short)));
  const std::string key(1000, 'k');  // the parser takes no longer ones
  EXPECT_THAT(faults_of_reading(key + ": 1"), AllOf(HasSubstr("unknown key 'kkk"), testing::Truly(is_short)));
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// What is noted of radios that never hear any other's.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/run/conditions/found_conditions.h"

namespace hilgate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kRed = "  red: {port: p1, mac: '02:00:00:00:00:01', radio: wifi_11n_2g4_adhoc}\n";
constexpr const char* kBlue = "  blue: {port: p2, mac: '02:00:00:00:00:02', radio: sik_915_64k}\n";
constexpr const char* kRelay =
    "  relay: {radios: {wifi: {port: p3, mac: '02:00:00:00:00:03', radio: wifi_11n_2g4_adhoc}, sik: {port: p4, mac: "
    "'02:00:00:00:00:04', radio: sik_915_64k}}}\n";

std::vector<std::string> texts_of(const std::string& robots, const std::string& tracks) {
  YamlDocument document = YamlDocument::parse(
      fmt::format("name: t\nports: {{p1: {{interface: hg-a}}, p2: {{interface: hg-b}}, p3: {{interface: hg-c}}, p4: "
                  "{{interface: hg-d}}}}\nnetsim: {{type: embedded}}\nphysics: {{type: trajectory, tracks: "
                  "{{{}}}}}\nrobots:\n{}",
                  tracks, robots),
      "f.yaml");
  Configuration configuration =
      read_configuration(document, {[](const auto&) {
                                      return std::vector<std::string>{"wifi_11n_2g4_adhoc", "sik_915_64k"};
                                    },
                                    {}});
  document.finish();
  configuration.profile_paths = {HILGATE_SOURCE_DIR "/rf_profiles/profiles"};
  std::vector<std::string> texts;
  for (const ExpectedCondition& found : expected_conditions(configuration)) {
    texts.push_back(found.condition.text);
  }
  return texts;
}

std::string standing(const std::string& robot) {
  return robot + ": [{at: 0s, position: [0m, 0m, 2m]}]";
}

TEST(DeafRadios, RobotsOfDifferentMediaAreNoted) {
  EXPECT_THAT(texts_of(std::string(kRed) + kBlue, standing("red") + ", " + standing("blue")),
              ElementsAre(testing::StartsWith("robots: radios of different media do not hear one another: ")));
}

TEST(DeafRadios, MediaThatARobotJoinsAreNot) {
  EXPECT_THAT(texts_of(std::string(kRed) + kRelay + kBlue,
                       standing("red") + ", " + standing("blue") + ", " + standing("relay")),
              IsEmpty());
}

TEST(DeafRadios, AMisplacedRobotIsNamedOnceForAllOfItsRadios) {
  EXPECT_THAT(texts_of(kRelay, "relay: [{at: 0s, position: [0m, 0m, -9m]}]"),
              ElementsAre(testing::StartsWith("robot relay: ")));
}

}  // namespace
}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Links outside the distances at which their profile was compared are one condition.
#include "gateway/run/conditions/condition_watch.h"

#include <gmock/gmock.h>

namespace hilgate {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class ValidatedRangesTest : public testing::Test {
 protected:
  /// Texts of the conditions with robots at these places along a line.
  static std::vector<std::string> texts(const std::vector<double>& places_m, const std::string& radio) {
    Configuration configuration;
    configuration.profile_paths = {HILGATE_SOURCE_DIR "/rf_profiles/profiles"};
    configuration.netsim = EmbeddedConfig{};
    Scene scene;
    for (const double place : places_m) {
      RobotConfig robot;
      robot.name = std::string(1, static_cast<char>('a' + scene.robots.size()));
      robot.radio = radio;
      configuration.robots.push_back(robot);
      scene.robots.emplace_back().position = {place, 0, 1};
    }
    std::vector<Condition> found;
    ValidatedRanges(configuration).find(scene, found);
    std::vector<std::string> all;
    for (const Condition& condition : found) {
      EXPECT_EQ(condition.name, "outside_validation");
      EXPECT_EQ(severity_of(condition.name), Severity::kNote);
      all.push_back(condition.text);
    }
    return all;
  }
};

TEST_F(ValidatedRangesTest, LinksWithinAreRefused) {
  EXPECT_THAT(texts({0, 10, 5000}, "wifi_11ag"), IsEmpty());
}

TEST_F(ValidatedRangesTest, LinksOutsideAreOneConditionThatNamesThem) {
  EXPECT_THAT(texts({0, 6200}, "wifi_11ag"),
              ElementsAre("links: outside the distances at which their path loss was compared: "
                          "a-b at 6200 m (wifi_11ag: 10 m to 5 km)"));
  EXPECT_THAT(texts({0, 5, 6200}, "wifi_11ag").size(), 1U);
  EXPECT_THAT(texts({0, 1, 2, 3, 4}, "wifi_11ag"),
              ElementsAre(AllOf(HasSubstr(": a-b at 1 m (wifi_11ag: 10 m to 5 km), a-c at 2 m"),
                                HasSubstr(", b-d at 2 m"), EndsWith(" and 4 more"))));
}

TEST_F(ValidatedRangesTest, AProfileThatWasComparedWithNothingHasNoRange) {
  EXPECT_THAT(texts({0, 6200}, "wire_1g"), IsEmpty());
}

}  // namespace
}  // namespace hilgate

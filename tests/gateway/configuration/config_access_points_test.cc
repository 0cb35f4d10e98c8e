// SPDX-License-Identifier: Apache-2.0
// netsim: {access_points, distribution, roaming}: what is read, and what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kNetsimLine = 22;

std::string with_access_points(const std::string& points, const std::string& more = "") {
  return with_line(kNetsimLine, "netsim: {type: embedded, access_points: {" + points + "}" + more + "}");
}

constexpr const char* kMast = "mast: {position: [1m, 2m, 3m], radio: wifi_other}";

TEST(AccessPointConfig, HasDefaults) {
  const Configuration config = read_yaml(with_access_points(kMast));
  const AccessNetworkConfig* network = access_network(config);
  ASSERT_NE(network, nullptr);
  ASSERT_EQ(network->access_points.size(), 1U);
  const AccessPointConfig& mast = network->access_points.front();
  EXPECT_EQ(mast.name, "mast");
  EXPECT_EQ(mast.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(mast.radio, "wifi_other");
  EXPECT_EQ(mast.channel, "1");
  EXPECT_FALSE(mast.robot);
  EXPECT_EQ(network->delay, 0ns);
  EXPECT_EQ(network->roaming.outage, 200ms);
  EXPECT_EQ(network->roaming.beacon, 102400us);
  EXPECT_EQ(link_ends(config), 3U);
}

TEST(AccessPointConfig, ReadsEverything) {
  const Configuration config = read_yaml(with_access_points(
      "deck: {robot: blue, channel: 6}",
      ", distribution: {delay: 2ms}, roaming: {hysteresis: 3 dB, scan_below: -65 dBm, break: 50ms, beacon: 20ms, "
      "missed: 3}"));
  const AccessNetworkConfig& network = *access_network(config);
  EXPECT_EQ(network.access_points.front().robot, RobotIndex{1});
  EXPECT_EQ(network.access_points.front().radio, "wifi_other") << "the robot's";
  EXPECT_EQ(network.access_points.front().channel, "6");
  EXPECT_EQ(network.delay, 2ms);
  EXPECT_EQ(network.roaming.hysteresis.value, 3);
  EXPECT_EQ(network.roaming.scan_below.value().value, -65);
  EXPECT_EQ(network.roaming.outage, 50ms);
  EXPECT_EQ(network.roaming.beacon, 20ms);
  EXPECT_EQ(network.roaming.missed, 3U);
}

TEST(AccessPointConfig, WithoutThemThereIsNoNetwork) {
  EXPECT_EQ(access_network(read_yaml(good_yaml())), nullptr);
  EXPECT_EQ(link_ends(read_yaml(good_yaml())), 2U);
}

TEST(AccessPointConfig, AWiredRobotHasNoRadio) {
  std::string yaml = with_access_points(kMast);
  yaml.replace(yaml.rfind("    radio: wifi_other"), 21, "    wired: true");
  EXPECT_TRUE(read_yaml(yaml).robots[1].wired);
  EXPECT_EQ(read_yaml(yaml).robots[1].radio, "");
}

TEST(AccessPointConfig, ErrorsNameFaultPlaceAndAllowedValues) {
  const auto one_fault = [](const std::string& yaml, const std::string& text) {
    EXPECT_THAT(faults_in(yaml), ElementsAre(HasSubstr(text))) << yaml;
  };
  one_fault(with_access_points("mast: {position: [1m, 2m, 3m], radio: wifi_othr}"), "did you mean 'wifi_other'?");
  one_fault(with_access_points("mast: {position: [1m, 2m], radio: wifi_other}"), "x, y and z");
  one_fault(with_access_points("mast: {radio: wifi_other}"), "position");
  one_fault(with_access_points("mast: {robot: bleu}"), "did you mean 'blue'?");
  one_fault(with_access_points("mast: {robot: blue, radio: wifi_other}"), "remove it");
  one_fault(with_access_points("mast: {robot: blue, position: [1m, 2m, 3m]}"), "remove it");
  one_fault(with_access_points("a: {robot: blue}, b: {robot: blue}"), "a robot can be one access point");
  one_fault(with_access_points("blue: {position: [1m, 2m, 3m], radio: wifi_other}"), "is also the name of a robot");
  one_fault(with_access_points("mast: {position: [1m, 2m, 3m], radio: wifi_other, chanel: 1}"), "chanel");
  one_fault(with_access_points(kMast, ", distribution: {delay: 2h}"), "0s to 1h");
  one_fault(with_access_points(kMast, ", roaming: {break: 0s}"), "1ms to 60s");
  one_fault(with_access_points(kMast, ", roaming: {hysteresis: -1 dB}"), "0 dB to 100 dB");
  one_fault(with_access_points(kMast, ", roaming: {beacon: 11s}"), "1ms to 10s");
  one_fault(with_access_points(kMast, ", roaming: {missed: 0}"), "1 to 1000 beacons");
}

TEST(AccessPointConfig, AWireNeedsANetworkAndNoRadio) {
  std::string yaml = good_yaml();
  yaml.replace(yaml.rfind("    radio: wifi_other"), 21, "    wired: true");
  EXPECT_THAT(faults_in(yaml), ElementsAre(HasSubstr("needs `access_points`")));
  yaml = with_access_points(kMast);
  yaml.replace(yaml.rfind("    radio: wifi_other"), 21, "    wired: true\n    radio: wifi_other");
  EXPECT_THAT(faults_in(yaml), ElementsAre(HasSubstr("excludes a radio")));
}

TEST(AccessPointConfig, IsForTheEmbeddedNetsim) {
  EXPECT_THAT(faults_in(with_line(kNetsimLine, "netsim: {type: wire, access_points: {}}")),
              ElementsAre(HasSubstr("netsim.access_points: belongs to type embedded; type is 'wire' here")));
}

}  // namespace
}  // namespace hilgate::test

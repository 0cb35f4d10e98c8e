// SPDX-License-Identifier: Apache-2.0
// Robots with several radios.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/configuration/bodies.h"
#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kWifi = "wifi: {port: p1, mac: 02:00:00:00:00:01, ip: 10.0.0.1, radio: wifi_11n_2g4_adhoc}";
constexpr const char* kLte = "lte: {port: p3, mac: 02:00:00:00:00:11, radio: wifi_other}";

struct Parts {
  std::string robot = {};  // keys of red beside `radios`
  std::string radios = fmt::format("{}, {}", kWifi, kLte);
  std::string links = {};
  std::string tracks = "red: [{at: 0s, position: [1m, 2m, 3m]}], blue: [{at: 0s, position: [9m, 0m, 0m]}]";
};

// Robot red is in line 8, blue in line 9, links are in line 12.
std::string radios_yaml(const Parts& parts) {
  return fmt::format(
      "name: t\n"
      "window: 1ms\n"
      "ports:\n"
      "  p1: {{interface: hg-a}}\n"
      "  p2: {{interface: hg-b}}\n"
      "  p3: {{interface: hg-c}}\n"
      "robots:\n"
      "  red: {{{}radios: {{{}}}}}\n"
      "  blue: {{port: p2, mac: 02:00:00:00:00:02, ip: 10.0.0.2, radio: wifi_other}}\n"
      "physics: {{type: trajectory, tracks: {{{}}}}}\n"
      "netsim: {{type: embedded}}\n"
      "links: [{}]\n",
      parts.robot, parts.radios, parts.tracks, parts.links);
}

std::vector<std::string> faults_with(const Parts& parts) {
  return faults_in(radios_yaml(parts));
}

TEST(ConfigRadios, MakesOneRobotOfEachRadio) {
  const Configuration configuration = read_yaml(radios_yaml({.robot = "id: uav_1, system_id: 7, "}));
  ASSERT_EQ(configuration.robots.size(), 3U);
  const RobotConfig& wifi = configuration.robots[0];
  const RobotConfig& lte = configuration.robots[1];
  const RobotConfig& blue = configuration.robots[2];
  EXPECT_EQ(wifi.name, "red.wifi");
  EXPECT_EQ(wifi.body, "red");
  EXPECT_EQ(wifi.radio, "wifi_11n_2g4_adhoc");
  EXPECT_EQ(wifi.port, PortIndex{0});
  EXPECT_THAT(wifi.ips, ElementsAre(IpAddress::parse("10.0.0.1").value()));
  EXPECT_EQ(wifi.system_id, 7);
  EXPECT_EQ(lte.name, "red.lte");
  EXPECT_EQ(lte.radio, "wifi_other");
  EXPECT_EQ(lte.port, PortIndex{2});
  EXPECT_EQ(lte.system_id, std::nullopt) << "the body has one, at its first radio";
  EXPECT_EQ(blue.name, "blue");
  EXPECT_EQ(blue.body, "blue");
}

TEST(ConfigRadios, OneBodyHasOneTrackAndOneNameInPhysics) {
  const Configuration configuration = read_yaml(radios_yaml({.robot = "id: uav_1, "}));
  const std::vector<Track>& tracks = configuration.physics->tracks;
  ASSERT_EQ(tracks.size(), 3U);
  EXPECT_EQ(tracks[0].front().position, (Vec3{1, 2, 3}));
  EXPECT_EQ(tracks[1].front().position, (Vec3{1, 2, 3}));
  EXPECT_EQ(tracks[2].front().position, (Vec3{9, 0, 0}));
  EXPECT_THAT(names_in_physics(configuration), ElementsAre("uav_1", "blue"));
  EXPECT_THAT(names_in_netsim(configuration), ElementsAre("uav_1.wifi", "uav_1.lte", "blue"));
  EXPECT_THAT(faults_with({.tracks = "red.wifi: [{at: 0s, position: [0m, 0m, 0m]}]"}),
              ElementsAre("f.yaml:10: physics.tracks.red.wifi: 'red.wifi' is not a robot; known: red, blue",
                          "f.yaml:10: physics.tracks: misses a track for robot 'red'",
                          "f.yaml:10: physics.tracks: misses a track for robot 'blue'"));
}

TEST(ConfigRadios, RadiosOfOneBodyHaveNoLinkBetweenThem) {
  const Configuration configuration = read_yaml(radios_yaml({}));
  EXPECT_FALSE(are_linked(configuration, RobotIndex{0}, RobotIndex{1}));
  EXPECT_FALSE(are_linked(configuration, RobotIndex{1}, RobotIndex{0}));
  EXPECT_TRUE(are_linked(configuration, RobotIndex{0}, RobotIndex{2}));
  EXPECT_TRUE(are_linked(configuration, RobotIndex{2}, RobotIndex{1}));
}

TEST(ConfigRadios, LinksNameRobotsOrRadios) {
  using namespace std::chrono_literals;
  const Configuration configuration = read_yaml(radios_yaml(
      {.links = "{from: red, to: blue, delay: 1ms}, {from: blue, to: red.lte, delay: 2ms}, {from: red.wifi, to: "
                "'*', loss: 10 %}"}));
  const auto delay = [&](std::uint32_t from, std::uint32_t to) {
    return link_rules(configuration, RobotIndex{from}, RobotIndex{to}).extra_delay;
  };
  EXPECT_EQ(delay(0, 2), 1ms);
  EXPECT_EQ(delay(1, 2), 1ms);
  EXPECT_EQ(delay(2, 1), 2ms);
  EXPECT_EQ(delay(2, 0), 0ms);
  EXPECT_TRUE(link_rules(configuration, RobotIndex{0}, RobotIndex{2}).impairments);
  EXPECT_FALSE(link_rules(configuration, RobotIndex{1}, RobotIndex{2}).impairments);
}

TEST(ConfigRadios, LinksWithinARobotAreFaults) {
  EXPECT_THAT(faults_with({.links = "{from: red.wifi, to: red.lte, delay: 1ms}"}),
              ElementsAre("f.yaml:12: links[0]: goes from 'red.wifi' to 'red.lte'; radios of one robot have no links "
                          "between them"));
  EXPECT_THAT(faults_with({.links = "{from: red, to: red, delay: 1ms}"}),
              ElementsAre("f.yaml:12: links[0]: goes from 'red' to 'red'; a robot has no link to itself"));
  EXPECT_THAT(faults_with({.links = "{from: red.sik, to: blue, delay: 1ms}"}),
              ElementsAre("f.yaml:12: links[0].from: 'red.sik' is not a robot or \"*\"; known: red, red.wifi, red.lte, "
                          "blue"));
}

TEST(ConfigRadios, RadiosKeepTheirAddressesToThemselves) {
  EXPECT_THAT(
      faults_with({.radios = fmt::format("{}, lte: {{port: p3, mac: 02:00:00:00:00:01, radio: wifi_other}}", kWifi)}),
      ElementsAre("f.yaml:8: robots.red.radios.lte.mac: '02:00:00:00:00:01' already belongs to robot 'red.wifi' in "
                  "line 8"));
  EXPECT_THAT(faults_with({.radios = fmt::format("{}, lte: {{port: p3, ip: 10.0.0.1, radio: wifi_other}}", kWifi)}),
              ElementsAre("f.yaml:8: robots.red.radios.lte.ip: '10.0.0.1' already belongs to robot 'red.wifi' in line "
                          "8"));
}

TEST(ConfigRadios, KeysOfRadiosAndRobotsAreWhereTheyBelong) {
  EXPECT_THAT(faults_with({.robot = "radio: wifi_other, "}),
              ElementsAre("f.yaml:8: robots.red.radio: belongs to one radio; give it to a radio under `radios`, or "
                          "remove `radios`"));
  EXPECT_THAT(faults_with({.robot = "port: p1, ", .radios = kLte}),
              ElementsAre("f.yaml:8: robots.red.port: belongs to one radio; give it to a radio under `radios`, or "
                          "remove `radios`"));
  EXPECT_THAT(faults_with({.radios = "lte: {port: p3, radio: wifi_other, system_id: 3}"}),
              ElementsAre("f.yaml:8: robots.red.radios.lte.system_id: belongs to the robot, whatever radio it uses; "
                          "give it at robots.red"));
}

TEST(ConfigRadios, RadiosAreAMapOfOneRadioAtLeast) {
  EXPECT_THAT(faults_with({.radios = ""}), ElementsAre("f.yaml:8: robots.red.radios: is empty; give at least one "
                                                       "radio, as `wifi: {port: ..., radio: ...}`",
                                                       "f.yaml:10: physics.tracks.red: 'red' is not a robot; known: "
                                                       "blue"));
  EXPECT_THAT(faults_with({.radios = "wifi: {radio: wifi_other}"}),
              ElementsAre("f.yaml:8: robots.red.radios.wifi: misses the key 'port'"));
  EXPECT_THAT(faults_with({.radios = "wifi: {port: p1}"}),
              ElementsAre("f.yaml:8: robots.red.radios.wifi: misses the key 'radio'"));
}

TEST(ConfigRadios, NamesOfRadiosCannotBeMistaken) {
  const auto named = [](const char* name) {
    return faults_with({.radios = fmt::format("{}: {{port: p1, radio: wifi_other}}", name)});
  };
  EXPECT_THAT(
      named("a.b"),
      ElementsAre("f.yaml:8: robots.red.radios.a.b: 'a.b' is not a name; allowed: up to 32 letters, digits, '-' "
                  "and '_', a letter or digit first"));
  EXPECT_THAT(named("blue"), ElementsAre("f.yaml:8: robots.red.radios.blue: 'blue' is also the name of a robot; choose "
                                         "another name for the radio"));
  EXPECT_THAT(named("delay"), ElementsAre("f.yaml:8: robots.red.radios.delay: 'delay' is also a key of `links`; choose "
                                          "another name for the radio"));
  EXPECT_THAT(named("red"), ElementsAre("f.yaml:8: robots.red.radios.red: 'red' is also the name of a robot; choose "
                                        "another name for the radio"));
  std::string dotted = radios_yaml({.radios = kWifi});
  dotted.replace(dotted.find("  blue:"), 7, "  red.lte:");
  EXPECT_THAT(faults_in(dotted),
              testing::Contains("f.yaml:9: robots.red.lte: 'red.lte' is not a name; allowed: up to 32 letters, digits, "
                                "'-' and '_', a letter or digit first"));
}

TEST(ConfigRadios, ARobotWithOneRadioUnderRadiosIsNamedWithIt) {
  const Configuration configuration = read_yaml(radios_yaml({.radios = kWifi}));
  EXPECT_EQ(configuration.robots[0].name, "red.wifi");
  EXPECT_FALSE(Bodies(configuration.robots).any_shared());
  EXPECT_THAT(faults_with({.radios = kWifi}), IsEmpty());
}

}  // namespace
}  // namespace hilgate::test
